## Listy: słowa, które można wpisać, i strefy czasowe

words-yes = tak
words-no = nie
words-back = wstecz, wróć, cofnij
words-agree = { words-yes }, zgoda, zgadzam się
words-disagree = { words-no }, nie zgadzam się
words-pause = stop, pauza, dość, wystarczy, przerwa, koniec na dziś, na dziś wystarczy
words-skip = pomiń, pomijam, nie wiem, nie znam odpowiedzi, nie mam pojęcia
words-report = błąd, problem, jest błąd, literówka
words-progress = ile zostało, ile jeszcze, postęp
words-help = pomoc, pomocy, polecenia
words-thanks = dziękuję, dzięki, dziękuję bardzo, dzieki
words-forget = zapomnijcie o mnie, zapomnij o mnie, usuńcie mnie, usuńcie moje dane
words-more = jeszcze
words-go-on = { words-agree }, dalej, dobrze, dobra, okej, ok, jasne, pewnie, rozumiem, zaczynamy, zacznij, kontynuuj, mhm, +
words-stay-out = { words-no }, { words-back }, nie teraz, -
words-first = pierwsza, pierwszy, pierwsze, pierwszą, pierwszej
words-second = druga, drugi, drugie, drugą, drugiej
words-third = trzecia, trzeci, trzecie, trzecią, trzeciej
words-fourth = czwarta, czwarty, czwarte, czwartą
words-fifth = piąta, piąty, piąte, piątą
words-sixth = szósta, szósty, szóste, szóstą
words-tie = remis, równo, równe, jednakowo, jednakowe, identyczne, =
words-bad = zła, zły, złe, źle, kiepskie, kiepsko
words-all = obie, oba, obydwie, obydwa, wszystkie
words-fillers = jest, są, lepsza, lepszy, lepsze, lepiej, najlepsza, najlepszy, najlepsze, wersja, wariant, tekst, odpowiedź, litera
common-zones = Europe/Warsaw, Europe/London, Europe/Berlin, Europe/Kyiv, America/New_York, America/Chicago
cities =
    Europe/Warsaw: Kraków, Łódź, Wrocław, Poznań, Gdańsk, Gdynia, Sopot, Szczecin, Bydgoszcz, Lublin, Białystok,
    Katowice, Gliwice, Częstochowa, Radom, Toruń, Kielce, Rzeszów, Olsztyn, Opole, Zielona Góra, Bielsko-Biała, Polska
    Europe/Kyiv: Lwów, Charków, Odessa, Dniepr, Zaporoże, Winnica, Połtawa, Czernihów, Iwano-Frankiwsk, Tarnopol,
    Łuck, Równe, Czerniowce, Użhorod, Ukraina
    Europe/Berlin: Monachium, Hamburg, Frankfurt, Kolonia, Lipsk, Drezno, Niemcy
    Europe/Prague: Brno, Ostrawa, Czechy
    Europe/Vilnius: Kowno, Litwa
    Europe/London: Manchester, Edynburg, Wielka Brytania, Anglia
    Europe/Dublin: Irlandia
    Europe/Amsterdam: Rotterdam, Holandia, Niderlandy
    Europe/Paris: Lyon, Nicea, Francja
    Europe/Madrid: Barcelona, Walencja, Hiszpania
    Europe/Rome: Mediolan, Neapol, Turyn, Włochy
    Europe/Zurich: Genewa, Bazylea, Szwajcaria
    America/Chicago: Dallas, Houston
    America/New_York: Boston, Waszyngton, Filadelfia

## Na początek

which-language = W jakim języku wolisz rozmawiać?
language-name = Polski
language-noted = Od teraz rozmawiamy po polsku.
welcome = Cześć! Ludzie odpowiadają tu na te same pytania, które dostają modele językowe. Jedno dotknięcie to jedna odpowiedź, a skończyć możesz w każdej chwili.
invitation-unknown = Nie ma takiego zaproszenia. Sprawdź, czy link jest skopiowany w całości, albo poproś organizatorów o nowy.
invitation-expired = To zaproszenie już wygasło. Poproś organizatorów o nowe.
invitation-used-up = Wszyscy, dla których było to zaproszenie, już z niego skorzystali. Poproś organizatorów o nowe.
invitation-closed = Ten projekt już się zakończył. Dziękujemy za chęć pomocy!
stranger = Wchodzi się tu na zaproszenie. Poproś organizatorów o link i otwórz go.
nothing-open = Żaden projekt nie jest teraz otwarty. Zajrzyj później: /start
menu = Wybierz projekt:
left-many = pytań starczy na długo
menu-nothing = Twoje projekty:
offer-later = otworzy się znowu { $until }
offer-quota = Twoja część jest zrobiona, dziękujemy
offer-label-studio = Twoje pytania są w Label Studio
offer-answered = masz już wszystko za sobą
offer-met = te pytania były już u Ciebie w innym projekcie
offer-others = reszta jest dla innych osób
offer-taken = wszystkie pytania są już rozdane
offer-not-invited = tym razem zaproszone są inne osoby
offer-left = ten projekt jest już za Tobą
consent = Twoja zgoda
consent-retention = Najpóźniej { $days ->
    [one] { $days } dzień
    [few] { $days } dni
   *[many] { $days } dni
} po zakończeniu projektu (później tylko wtedy, gdy bierzesz udział w innych) organizatorzy usuną wszystko, co wskazuje, czyje są te odpowiedzi. Same odpowiedzi zostaną, ale nikt już nie znajdzie wśród nich Twoich, więc nie będzie można ich usunąć. Do tego czasu możesz je usunąć: /forget
agree = Zgadzam się
decline = Nie zgadzam się
agreed = Dziękujemy! Twoja zgoda (wersja { $version }) jest zapisana. Żeby ją wycofać: /withdraw
declined = W porządku. Bez Twojej zgody o nic nie pytamy. Jeśli zmienisz zdanie, wyślij /start. Żeby wymazać wszystko, co o Tobie wiemy: /forget
consent-withdrawn = Zgoda jest wycofana: o nic więcej nie pytamy. Dotychczasowe odpowiedzi zostają. Żeby też przestały się liczyć: /withdraw; żeby wymazać wszystko: /forget. Jeśli zmienisz zdanie, wyślij /start.
type-text = Wpisz odpowiedź i wyślij.
type-number = Wpisz liczbę, na przykład 34.
rather-not-say = Wolę nie mówić
noted = Zapisane
profile-noted = Zapisane: { $value }. Poprawisz to tutaj: /mydata
not-a-number = { $bounds ->
    [both] Wpisz liczbę od { $least } do { $most }.
    [least] Wpisz liczbę nie mniejszą niż { $least }.
    [most] Wpisz liczbę nie większą niż { $most }.
   *[none] To nie wygląda na liczbę. Wpisz ją cyframi, na przykład 34.
}
too-long = To za długie. { $most ->
    [one] Wystarczy { $most } znak.
    [few] Wystarczą { $most } znaki.
    [many] Wystarczy { $most } znaków.
   *[other] Wystarczy { $most } znaku.
}
which-zone = Gdzie teraz jesteś? Obowiązuje tu limit dzienny, więc musimy wiedzieć, kiedy zaczyna się u Ciebie dzień. Możesz też wpisać miasto albo godzinę na swoim zegarze, na przykład 14:30.
which-zone-by-day = Gdzie teraz jesteś? Dzięki temu będziemy pisać tylko w ciągu dnia. Możesz też wpisać miasto albo godzinę na swoim zegarze, na przykład 14:30.
zone-other = Inne miasto
zone-unsaid = Wolę nie mówić
zone-type = Wpisz swoje miasto albo godzinę na zegarze, na przykład 14:30.
zone-unknown = Nie znamy takiego miasta ani takiej godziny.
zone-noted = Strefa czasowa: { $zone }
warning = Zanim zaczniesz
warning-leave = Jeśli to nie dla Ciebie, odmów: nic się nie stanie.
decline-warning = Wolę nie
warning-declined = W porządku, tego nie zobaczysz. Jeśli zmienisz zdanie, wyślij /start.
go-on = Dalej
begin = Zaczynamy
examples-good = Dobre przykłady
examples-bad = Złe przykłady

## Pytanie na ekranie

part = Część { $number } z { $of }
gap = LUKA
picture = Obraz { $number }
stage-training = trening
stage-qualification = test
page = strona { $page }, zadanie { $place }
left = { $left ->
    [one] zostało { $left } pytanie
    [few] zostały { $left } pytania
    [many] zostało { $left } pytań
   *[other] zostało { $left } pytania
}
page-over = Strona { $page } gotowa. Dobra chwila na odpoczynek: /pause
type-a-number = Odpowiedzi jest za dużo na przyciski: wyślij numer tej, którą wybierasz.
type-a-point = Dotknij liczby albo wyślij dowolną od { $low } do { $high }.
number-outside = Odpowiedz liczbą od { $low } do { $high }.
done = Gotowe
none-of-them = Żadna z nich
leave-open = Bez odpowiedzi
skip = Pomiń
report = Problem
ask = Zapytaj
task = Zadanie
pause = Pauza
keep = Zostaw bez zmian
back = ‹ Wstecz
undo = Zmień
in-my-words = Własnymi słowami

## Porównywanie tekstów

side-better-neuter = { $letter } lepsze
side-better-masculine = { $letter } lepszy
side-better-feminine = { $letter } lepsza
side-please = Nie wiadomo, co wybierasz. Wpisz jedno z tych: { $answers }. Albo dotknij przycisku.
way-up = ↑ Dotknij cytatu nad tym wierszem: tam jest początek.

## Fragmenty tekstu

span-sentence = W którym zdaniu? Dotknij jego numeru albo wpisz te słowa.
span-first = Od którego słowa zaczynamy?
span-last = Na którym słowie kończymy? Początek: „{ $first }”.
span-match = Te słowa występują w tekście kilka razy. O które miejsce chodzi?
span-confirm = Jeśli się zgadza, zapisz. Jeśli nie, dodaj albo usuń słowo z brzegu.
span-empty = Nie ma tu słów, które można zaznaczyć.
span-kept = Już zaznaczone: { $parts }
span-part = „{ $part }”
span-save = Zapisz
span-add = Jeszcze jeden fragment
span-change = Wybierz inny
span-remove = Usuń ten
span-start-back = ← + słowo
span-end-on = + słowo →
span-start-on = − pierwsze
span-end-back = − ostatnie
span-not-found = Tych słów nie ma w tekście. Skopiuj je stamtąd albo dotknij numeru.
span-overlaps = Te słowa są już zaznaczone. Wybierz inne.
span-moved = Ekran się zmienił. Dotknij jeszcze raz.

## Drugie spojrzenie: poprawna odpowiedź na ekranie

second-pass = teraz z poprawną odpowiedzią
second-options = Opcje: { $options }
second-first = Twoja odpowiedź: { $answer }
second-gold = Poprawna: { $answer }
second-right = Twoja odpowiedź jest poprawna: { $answer }
second-none = Wszystko w porządku

## Odpowiedź własnymi słowami

text-preview = Sprawdź i zapisz:
text-number = Zapiszemy to jako liczbę { $number }.
text-save = Zapisz
text-fix = Popraw
text-type-again = Zmień swoją wiadomość z odpowiedzią albo wyślij ją jeszcze raz.
text-too-long = Za długo: { $length ->
    [one] jest { $length } znak
    [few] są { $length } znaki
    [many] jest { $length } znaków
   *[other] jest { $length } znaku
}, a zmieści się { $most }. Wyślij, proszę, krótszą odpowiedź.
text-in-parts = Reszta Twojego długiego tekstu przyszła za późno, więc nie weszła do odpowiedzi. Wyślij, proszę, cały tekst jeszcze raz, krótszy, w jednej wiadomości.
text-too-short = Za krótko: { $least ->
    [one] potrzebny jest co najmniej { $least } znak
    [few] potrzebne są co najmniej { $least } znaki
    [many] potrzeba co najmniej { $least } znaków
   *[other] potrzeba co najmniej { $least } znaku
}. Dopisz coś i wyślij jeszcze raz.
text-no-number = Odpowiedzią jest tu liczba. Wpisz ją cyframi, bez innych słów, na przykład 34 albo 3,5.

## Poprawianie tekstu

correction-paragraph = Akapit { $number } z { $total }
correction-hint = Dotknij tekstu, żeby go skopiować, popraw i wyślij. Jeśli wszystko jest dobrze, dotknij „Bez zmian”.
correction-hint-again = Dotknij tekstu, żeby go skopiować, zmień i wyślij jeszcze raz.
correction-accept = Bez zmian
correction-keep = Zostaw tak
correction-reset = Przywróć oryginał
correction-back = ‹ Akapit { $number }
correction-latest = Akapit { $number }, Twoja poprawka:
correction-same = Akapit { $number }: bez zmian.
correction-doubt = Prawie wszystko jest tu inne. Zastąpić akapit tym tekstem?
correction-replace = Tak, zastąp
correction-reject = Nie
correction-nothing = Cały tekst przejrzany, bez żadnych zmian.
correction-summary = { $total ->
    [1] Cały tekst przejrzany i poprawiony.
   *[other] Cały tekst przejrzany. { $count ->
        [1] Poprawiony jest akapit
       *[other] Poprawione są akapity
    } { $list } z { $total }.
}
correction-again = Żeby wrócić do akapitu, dotknij jego numeru.
correction-choose = Cały tekst przejrzany. Żeby zmienić akapit, dotknij jego numeru.
correction-too-long = To za długie na jeden akapit. Wyślij, proszę, krótszy, w jednej wiadomości.
correction-must-change = Coś trzeba tu poprawić. Dotknij numeru akapitu, a jeśli nie ma czego poprawiać, pomiń zadanie.
correction-edited = Ten tekst jest już zapisany. Żeby go zmienić, dotknij pod nim „Zmień”.
correction-unchanged = bez zmian
correction-done = poprawione
correction-count = { $count ->
    [one] poprawiony { $count } akapit
    [few] poprawione { $count } akapity
    [many] poprawionych { $count } akapitów
   *[other] poprawione { $count } akapitu
}

## Za długie na telefon

long-item = To długie zadanie: zajmuje { $messages ->
    [one] { $messages } wiadomość
    [few] { $messages } wiadomości
    [many] { $messages } wiadomości
   *[other] { $messages } wiadomości
}. Przy komputerze wygodniej zrobić je w Label Studio, gdzie czeka Twoja paczka: { $address }
long-move = Zrobię w Label Studio
long-moved = W porządku. To zadanie jest przeniesione do Label Studio i pojawi się w Twojej paczce, gdy tylko zostanie uzupełniona.

## Po dotknięciu

saved = Zapisane
saved-already = To już jest zapisane
answered-already = Odpowiedź już jest: „{ $answer }”. Możesz ją zmienić powyżej.
stale = O to już nie pytamy. Teraz jesteś tutaj.
not-taken = Ta odpowiedź tu nie pasuje. Teraz jesteś tutaj.
tap-please = Dotknij przycisku albo wpisz to, co na nim jest.
choose-shown = Takiej odpowiedzi tu nie ma. Dotknij przycisku albo wpisz to, co na nim jest.
or-commands = Albo tak: /skip — pominąć, /problem — zgłosić problem, /pause — zrobić przerwę, /help — wszystko inne.
thanks-back = To ja dziękuję, że jesteś!
word-or-answer = Czy to Twoja odpowiedź, czy chcesz coś zrobić?
is-my-answer = To moja odpowiedź
digits-only = Napisz samą liczbę, cyframi: { $number }
profile-later = Nie ma pośpiechu. Gdy zechcesz wrócić, wyślij /start.
nothing-before = Nie ma tu do czego wracać.
only-read = Ostatnia wiadomość o nic nie pytała, więc to się nie zapisało. Teraz jesteś tutaj.
only-above = Ostatnie pytanie było o coś innego, więc nic się nie zapisało. Teraz jesteś tutaj.
sent-too-early = Ta wiadomość przyszła, zanim pojawiło się pytanie, więc nie liczy się jako odpowiedź. Odpowiedz na to, co widzisz teraz.
reply-unknown = Tamta wiadomość o nic nie pyta. Nic się nie zapisało. Co dalej, pokaże /start
reply-several = To zadanie ma kilka pytań: żeby zmienić odpowiedź, dotknij pod nim „Zmień”. Bieżące pytanie pokaże /start
answer-changed = Odpowiedź zmieniona.
choose-at-least = Zaznacz co najmniej { $least }
choose-at-most = Zaznacz najwyżej { $most }
answer-or-skip = Odpowiedz albo dotknij „Pomiń”
undo-open = Wybierz inną odpowiedź
undo-closed = Tej odpowiedzi nie da się już zmienić: po niej pojawiło się powiązane pytanie albo zakończył się ten etap lub projekt.
undo-training = Poprawna odpowiedź została tu już pokazana, więc swojej nie da się już zmienić.
kept = Zostaje bez zmian
extra = Dziękujemy! To pytanie zostało w międzyczasie zamknięte, więc Twoja odpowiedź jest zapisana osobno.
right = Dobrze!
wrong = Poprawna odpowiedź: { $gold }
for-comparison = Oczekiwana odpowiedź: { $gold }

## Pominąć, zgłosić, zapytać

skip-why = Dlaczego pomijasz?
skip-unsure = Nie znam odpowiedzi
skip-unclear = Nie rozumiem pytania
skip-unpleasant = To dla mnie nieprzyjemne
skip-broken = Coś jest nie tak z pytaniem
skip-type = Dlaczego pomijasz to pytanie? Wpisz kilka słów.
skipped = Pominięte
skipped-mark = ⏭ { $number } · pominięte
report-why = Co jest nie tak?
report-two-right = Jest kilka poprawnych odpowiedzi
report-none-right = Żadna odpowiedź nie jest poprawna
report-unknowable = Z tekstu to nie wynika
report-bad-language = Błędy językowe
report-same-options = Odpowiedzi są takie same
report-type = Co jest nie tak z tym pytaniem? Wpisz kilka słów.
reported = Dziękujemy, organizatorzy to zobaczą. Nadal możesz odpowiedzieć.
ask-type = Wpisz swoje pytanie do organizatorów w jednej wiadomości.
asked = Pytanie przekazane. Odpowiedź przyjdzie tutaj.
ask-too-long = Pytanie jest puste albo za długie. Wpisz od jednego słowa do { $most } znaków.
ask-enough = W ciągu doby można przekazać najwyżej { $most ->
    [one] { $most } pytanie
    [few] { $most } pytania
    [many] { $most } pytań
   *[other] { $most } pytania
}, więc tego nie przekazaliśmy. Wyślij je, proszę, jutro.
answered = Organizatorzy odpowiedzieli

## Odpowiedzi przejrzane przez organizatorów

review-rejected = „{ $project }”: jedna z Twoich odpowiedzi nie została przyjęta
review-reason = Dlaczego: { $reason }
review-what-follows = To pytanie dostanie ktoś inny, a Ty możesz działać dalej jak dotąd. Nie zgadzasz się? Napisz: /ask
review-paid = Za tę odpowiedź i tak dostaniesz zapłatę.
review-unpaid = Za nieprzyjęte odpowiedzi nie ma zapłaty.
review-taken-back = „{ $project }”: decyzja o Twojej odpowiedzi została cofnięta
review-counts-again = Odpowiedź znów się liczy. Przepraszamy za zamieszanie.

## Dlaczego teraz nie ma pytania

not-admitted = Niestety, tym razem projekt „{ $project }” zaprasza inne osoby. Dziękujemy za chęć pomocy!
not-running = Projekt „{ $project }” jest teraz wstrzymany. Twoje odpowiedzi są zapisane.
suspended = Organizatorzy wstrzymali Twój udział. Jeśli to pomyłka, napisz do nich: /ask
paused-by-rule = Twój udział w projekcie „{ $project }” jest wstrzymany. Organizatorzy przejrzą Twoje odpowiedzi; możesz ich zapytać: /ask
excluded = Twój udział w projekcie „{ $project }” jest zakończony. Żeby zapytać dlaczego: /ask
failed = Projekt „{ $project }”: wszystkie próby są już wykorzystane. Dziękujemy za chęć spróbowania!
cool-down = Następna próba w projekcie „{ $project }” otworzy się { $until }.
withdrawn = Nie bierzesz już udziału w projekcie „{ $project }”. Dziękujemy za Twój czas!
searching = Szukamy dla Ciebie pytania, chwileczkę.
sitting-over = Jedno krótkie pytanie o poprzedni raz:
sitting-ends = I na koniec jedno krótkie pytanie:
in-minutes = za { $minutes ->
    [one] { $minutes } minutę
    [few] { $minutes } minuty
    [many] { $minutes } minut
   *[other] { $minutes } minuty
}
in-hours = za { $hours ->
    [one] { $hours } godzinę
    [few] { $hours } godziny
    [many] { $hours } godzin
   *[other] { $hours } godziny
}
month-name = { $month ->
    [1] stycznia
    [2] lutego
    [3] marca
    [4] kwietnia
    [5] maja
    [6] czerwca
    [7] lipca
    [8] sierpnia
    [9] września
    [10] października
    [11] listopada
   *[12] grudnia
}
moment = { $day } { $month } o { $time } ({ $zone })
date = { $day } { $month } { $year }

## Twoje prawa

mydata = Wszystko, co o Tobie przechowujemy, co do jednego wiersza.
mydata-heading = Co o Tobie wiemy
mydata-telegram = Twój numer w Telegramie, bez imienia. Język: { $language }
mydata-page = Losowa liczba, którą zawiera Twój osobisty kod. Język: { $language }
mydata-project = „{ $project }”: udział od { $date }, odpowiedzi: { $answers }, pominięte: { $skipped }
mydata-consent = Zgoda (wersja { $version }): { $date }
mydata-consent-withdrawn = Zgoda (wersja { $version }): wycofana { $date }
mydata-questions = Pytania do organizatorów: { $count }
mydata-reminders = Przypomnienia: włączone. Zmienisz to tutaj: /reminders
mydata-news = Mamy dać znać, gdy będą dla Ciebie pytania. Zmienisz to tutaj: /reminders
mydata-profile = Twoje odpowiedzi o sobie (poprawisz je przyciskami):
mydata-rights = Wszystko jest dokładnie zapisane w pliku powyżej. Wyjście z projektu: /withdraw; wymazanie wszystkiego: /forget
mydata-again = Ten plik jest u Ciebie od niedawna. O następny możesz poprosić za { $minutes } min.
withdraw-which = Z którego projektu chcesz wyjść?
withdraw-nothing = Nie bierzesz udziału w żadnym projekcie.
withdraw-sure = Wyjść z projektu „{ $project }”? Żadna Twoja odpowiedź nie będzie się tam już liczyć. Wrócić się potem nie da.
withdraw-yes = Tak, wychodzę
withdrawn-now = { $answers ->
    [one] Nie bierzesz już udziału w projekcie „{ $project }”; { $answers } odpowiedź już się nie liczy.
    [few] Nie bierzesz już udziału w projekcie „{ $project }”; { $answers } odpowiedzi już się nie liczą.
    [many] Nie bierzesz już udziału w projekcie „{ $project }”; { $answers } odpowiedzi już się nie liczy.
   *[other] Nie bierzesz już udziału w projekcie „{ $project }”; { $answers } odpowiedzi już się nie liczy.
}
stay = Nie, zostaję
stays = W porządku, wszystko zostaje tak, jak było.
forget-sure = Zapomnieć o Tobie we wszystkich projektach? Twoje odpowiedzi, wiadomości i wszystko, co o Tobie wiemy, zostanie wymazane. Tego nie da się cofnąć. Zostanie tylko ślad bez imienia i numeru: jeśli wrócisz, wstrzymany udział, niezdany test i wyjście z projektu nadal będą obowiązywać. Tego, co już opublikowano, nie możemy wymazać.
forget-yes = Tak, zapomnijcie
forgotten = Gotowe: nic już o Tobie nie wiemy. Dziękujemy za wszystko. Ten czat możesz wyczyścić tylko Ty. Powrót: /start

## Czego bot nie robi

# Somebody who began in another bot of ours writes to this one.
# $link (https://t.me/hromada_bot): the other bot
other-bot = Odpowiadasz już w innym bocie, który wie, na czym stanęło: { $link }
# The same, if the name of the other bot is not known.
other-bot-unnamed = Odpowiadasz już w innym bocie: wróć do jego rozmowy, on wie, na czym stanęło.
only-private = Ten bot działa tylko w prywatnej rozmowie: otwórz jego profil i naciśnij „Start”.
only-text = Czytamy tylko tekst.
edited = Zmienionych wiadomości nie czytamy. Żeby poprawić odpowiedź, dotknij pod nią „Zmień”.
unknown-command = Nie ma takiego polecenia. Wszystkie: /help
flooded = Za dużo wiadomości w ciągu minuty, więc części z nich nie przeczytaliśmy. Poczekaj minutę i działaj dalej.
help = Co tu można zrobić:

## Gdy coś pójdzie nie tak

trouble = Coś się u nas zepsuło, przepraszamy. Każda odpowiedź ze znakiem ✓ jest zapisana. Wyślij /start, żeby wrócić. Kod dla organizatorów: { $code }
busy = Nie udaje się teraz zapisać odpowiedzi. Spróbuj za minutę: wyślij /start.

## Menu poleceń

command-start = Wróć do pytań
command-projects = Wybierz projekt
command-task = Pokaż zadanie jeszcze raz
command-ask = Zapytaj organizatorów
command-pause = Skończ na dziś
command-reminders = Kiedy bot odzywa się sam
command-language = Zmień język
command-mydata = Zobacz i popraw swoje dane
command-withdraw = Wyjdź z projektu
command-forget = Wymaż wszystko o mnie
command-help = Wszystkie polecenia

## O bocie

bot-description = Tutaj ludzie odpowiadają na pytania, na które odpowiadają też modele językowe, żeby było z czym je porównać. Jedno dotknięcie to jedna odpowiedź, a skończyć możesz w każdej chwili. Jeśli masz link od organizatorów, otwórz go: to Twoje zaproszenie. Wszystko, co o Tobie wiemy: /mydata; wyjście z projektu: /withdraw; wymazanie wszystkiego: /forget.
bot-about = Pytania, na które odpowiadają i ludzie, i modele językowe.

## Karta pytania

own-count = { $number } z { $total }
shared-count = wszyscy razem: { $answered } z { $wanted }
more = ⋯
undo-skip = Przywróć
which-answer = Którą odpowiedź chcesz zmienić?
journey-items = { $items ->
    [one] { $items } zadanie
    [few] { $items } zadania
    [many] { $items } zadań
   *[other] { $items } zadania
}
journey-ahead = Mniej więcej { $items }. Możesz rozłożyć to na kilka razy, jak Ci wygodnie.
journey-ahead-minutes = Mniej więcej { $items }, w sumie około { $minutes } min. Możesz rozłożyć to na kilka razy, jak Ci wygodnie.
attempt-again = To próba { $attempt } z { $attempts }.
wrong-nearly = Prawie: { $gold }, a nie { $answer }
right-value = poprawnie: { $gold }
training-rules = Trening: { $total ->
    [one] { $total } zadanie
    [few] { $total } zadania
    [many] { $total } zadań
   *[other] { $total } zadania
}. Po każdej odpowiedzi zobaczysz, czy jest poprawna.
qualification-rules = Test: { $total ->
    [one] { $total } zadanie
    [few] { $total } zadania
    [many] { $total } zadań
   *[other] { $total } zadania
}. Wynik zobaczysz na końcu.
pass-mark = Żeby przejść dalej, { $needed ->
    [one] potrzebna jest co najmniej { $needed } poprawna odpowiedź
    [few] potrzebne są co najmniej { $needed } poprawne odpowiedzi
    [many] potrzeba co najmniej { $needed } poprawnych odpowiedzi
   *[other] potrzeba co najmniej { $needed } poprawnej odpowiedzi
}.
result = wynik { $right } z { $of } (potrzeba co najmniej { $needed })
training-over = Trening zakończony, dziękujemy!
training-passed = Trening zaliczony: { $result }.
qualification-over = Test zakończony, dziękujemy!
qualification-passed = Test zaliczony, gratulujemy: { $result }.
failed-retry = Tym razem się nie udało: { $result }. Przeczytaj jeszcze raz zadanie (/task) i spróbuj ponownie.
failed-now = Tym razem się nie udało: { $result }.
main-begins = A teraz już na serio.
command-skip = Pomiń pytanie
command-problem = Zgłoś problem z pytaniem

## Co jest poprawne: sporne zadania

command-adjudicate = Rozstrzygnij sporne zadania
case-left = czeka { $left }
case-which = Która odpowiedź jest poprawna?
case-votes = { $count ->
    [one] { $count } głos
    [few] { $count } głosy
    [many] { $count } głosów
   *[other] { $count } głosu
}
case-why = Dlaczego tu jest: { $reasons }.
case-tie = głosów jest po równo
case-low-confidence = głosy bardzo się różnią
case-rule-conflict = większość zależy od odpowiedzi wychwyconych przez regułę jakości
case-report = zgłoszono problem
case-reported = Zgłoszono: { $report }
case-several = Poprawnych jest kilka
case-tick = Zaznacz wszystkie poprawne. Pierwsza zaznaczona będzie główną odpowiedzią.
case-main = Główna odpowiedź: { $answer }
case-broken = Zepsute
case-broken-why = Co jest nie tak z tym zadaniem? Wpisz kilka słów.
case-no-comment = Tu nie ma słów, więc zadanie nie zostało oznaczone jako zepsute. Oto ono znowu.
case-broken-mark = ✗ Zepsute: { $comment }
case-later = Później
case-later-mark = ⏭ Odłożone na później
case-only-one = Nic więcej nie czeka: to ostatnie zadanie.
case-stop = Wystarczy
case-stopped = Dziękujemy! Wszystkie Twoje decyzje są zapisane. Żeby wrócić: /adjudicate
case-undone = ↩ Decyzja jest cofnięta. Zadanie jest poniżej.
case-nothing = Nic nie czeka na Twoją decyzję, dziękujemy! Nowe sporne zadania pojawiają się, gdy przychodzą odpowiedzi. Sprawdź ponownie: /adjudicate
case-offer = Są sporne zadania: powiedz, która odpowiedź jest poprawna.
case-begin = Rozstrzygam
remark-milestone = 🎉 To już { $number ->
    [one] { $number } zadanie
    [few] { $number } zadania
    [many] { $number } zadań
   *[other] { $number } zadania
}. Dziękujemy!
remark-halfway = 🎉 Połowa za Tobą: { $number ->
    [one] to już { $number } zadanie
    [few] to już { $number } zadania
    [many] to już { $number } zadań
   *[other] to już { $number } zadania
}. Dziękujemy!
remark-break = ☕ Pracujesz już { $number } min. Zrób sobie przerwę: zadania poczekają.
remark-night = 🌙 Jest już późno. Zadania poczekają do jutra.

## Ile teraz i ile już

session-how-many = Ile zadań chcesz teraz zrobić? Po ostatnim zobaczysz podsumowanie i możesz na tym skończyć.
session-under-way = Tym razem już { $done } z { $goal }.
session-only = Tylko { $number }
session-more = Jeszcze { $number }
session-endless = Bez limitu
session-chosen = { $number ->
    [one] { $number } zadanie, a potem podsumowanie
    [few] { $number } zadania, a potem podsumowanie
    [many] { $number } zadań, a potem podsumowanie
   *[other] { $number } zadania, a potem podsumowanie
}
session-over = 🏁 { $number ->
    [one] { $number } zadanie
    [few] { $number } zadania
    [many] { $number } zadań
   *[other] { $number } zadania
} w { $minutes } min
session-seconds = Zwykle { $seconds } s na zadanie.
session-minutes = Zwykle { $minutes } min na zadanie.
progress-nothing = nie ma dla Ciebie zadań
progress-paused = wstrzymany
progress-closed = zakończony
progress-stopped = udział wstrzymany
progress-failed = niezaliczone
command-progress = Zobacz, ile już za Tobą
command-session = Wybierz, ile zadań teraz

## Karta przy pauzie i na końcu

card-end = 🏁 To wszystko, co było dla Ciebie. Dziękujemy!
card-closed = 🏁 Wszystko jest zakończone, dziękujemy! Nowy projekt otworzysz linkiem od organizatorów.
card-stopped = Na razie to wszystko, dziękujemy! To, co wstrzymane, może się jeszcze otworzyć.
card-cap = Na razie wystarczy, dziękujemy!
card-until = Następne pytania będą { $until }.
paused = Pauza. Wszystko jest zapisane.
paused-begun = Pauza. To, co zaczęte, jest zapisane i poczeka na Ciebie, chyba że inni zdążą to zamknąć.
nothing-yet = Na razie nie ma dla Ciebie pytań.
card-own = Dziś: { $today } · łącznie: { $total }
card-own-training = (trening i test: { $training })
card-together = Wszyscy razem: { $answered } z { $wanted }, w tym Twoje: { $own }
card-days = { $days ->
    [one] { $days } dzień z rzędu
    [few] { $days } dni z rzędu
    [many] { $days } dni z rzędu
   *[other] { $days } dnia z rzędu
}
earned = Zarobione dotąd: { $amount }
pay-per-hour = Stawka: { $amount } za godzinę pracy.
pay-per-item = Stawka: { $amount } za zadanie z odpowiedzią.
pay-not-rejected = Odpowiedzi odrzucone przez organizatorów nie są płatne.
remind-tomorrow = Przypomnij jutro
remind-tomorrow-noted = W porządku, przypomnimy jutro w ciągu dnia, jeden raz.
notices-promised = Na Twoją prośbę przypomnimy raz, następnego dnia.
invite-friend = Zaproś znajomych
invite-link = { $left ->
    [one] Wyślij ten link komuś znajomemu. Może z niego skorzystać jeszcze { $left } osoba:
    [few] Wyślij ten link znajomym. Mogą z niego skorzystać jeszcze { $left } osoby:
    [many] Wyślij ten link znajomym. Może z niego skorzystać jeszcze { $left } osób:
   *[other] Wyślij ten link znajomym. Może z niego skorzystać jeszcze { $left } osoby:
}
invite-used-up = { $uses ->
    [one] Z Twojego linku skorzystała już { $uses } osoba, więcej zaprosić się nie da. Dziękujemy!
    [few] Z Twojego linku skorzystały już { $uses } osoby, więcej zaprosić się nie da. Dziękujemy!
    [many] Z Twojego linku skorzystało już { $uses } osób, więcej zaprosić się nie da. Dziękujemy!
   *[other] Z Twojego linku skorzystało już { $uses } osoby, więcej zaprosić się nie da. Dziękujemy!
}

## Kiedy bot odzywa się sam

reminder = „{ $project }”: są dla Ciebie pytania, jeśli masz ochotę.
reminder-last = Jeśli i teraz nie będzie odpowiedzi, więcej nie przypomnimy. Żeby znów włączyć przypomnienia: /reminders
reminder-tomorrow = Jutro
reminder-tomorrow-noted = W porządku, do jutra.
reminder-stop-noted = W porządku, koniec przypomnień. Żeby znów je włączyć: /reminders
news = „{ $project }”: znów są dla Ciebie pytania.
news-offer = Dać Ci znać raz, gdy będą dla Ciebie pytania? Możesz też zajrzeć tu bez czekania: /start
news-tell = Tak, dajcie znać
news-noted = Damy znać raz, gdy będą dla Ciebie pytania.
notices-about = Sami odzywamy się tylko wtedy, gdy tego chcesz, i tylko w ciągu dnia.
notices-reminders = Przypomnienia: { $state }. Przychodzą, gdy nie ma Cię od dwóch dni, a są dla Ciebie pytania, najwyżej raz na trzy dni. Po trzech bez odpowiedzi ustają.
notices-new = Nowe pytania: { $state }. Napiszemy raz, gdy po przerwie znów będą dla Ciebie pytania.
notices-on = włączone
notices-off = wyłączone
notices-remind = Przypominajcie mi
notices-stop = Koniec przypomnień
notices-news = Piszcie o nowych
notices-no-news = O nowych nie piszcie
notices-nothing = Nic nie piszcie

announcement = Wiadomość od organizatorów
announcement-of = „{ $project }”: wiadomość od organizatorów

## Strona odpowiedzi

page-open = 📄 Otwórz na stronie
command-page = Otwórz zadanie na stronie
page-offer = Na stronie łatwiej czytać i poprawiać długie teksty.
page-again = Otwórz stronę ponownie z czatu: ta sesja się skończyła. To, co napisano, zostaje tutaj.
page-ended = Sesja na tej stronie już się skończyła. To, co napisano, zostaje w tej przeglądarce. Kontynuuj ze swoim kodem albo w Telegramie, jeśli praca toczy się już tam.
page-loading = Wczytywanie…
page-offline = Brak połączenia. To, co napisano, jest zapisane na tym urządzeniu i zostanie wysłane, gdy połączenie wróci.
page-nothing = Teraz nie ma tu zadania. Kontynuuj w czacie albo dotknij „Dalej”.
page-draft = Szkic zapisany.
page-restored = Szkic przywrócony.
page-same = Bez zmian
page-changes = Zapisz
page-difference = Co zmieniono
page-compared = Teksty do porównania
page-other-first = Przeczytaj też ten tekst, a potem wybierz.
page-tap-last = Dotknij ostatniego słowa albo przeciągnij brzeg.
page-remove = Usuń
page-most = Nie można zaznaczyć więcej części.
page-empty = Nic jeszcze nie wpisano.
page-mark = Zaznacz część: dotknij jej pierwszego słowa.
page-start = Początek
page-end = Koniec
page-back = słowo wstecz
page-on = słowo dalej
page-little = Z tekstu niewiele zostało. Aby zapisać, dotknij jeszcze raz.
page-conflict = Jest nowszy szkic z innego urządzenia.
page-theirs = Weź nowszy
page-mine = Zostaw mój
page-answer = Twoja odpowiedź
page-text = Tekst
page-table = Tabela
page-listing = Kod
page-formula = Wzór
page-picture = Obraz
page-larger = Powiększ
page-smaller = Pomniejsz
page-close = Zamknij
page-edited = Tekst, który poprawiasz
page-step-undo = Cofnij ostatni krok
page-told = Wiadomości
page-write = Napisz wiadomość
page-send = Wyślij
page-menu = Menu
page-code = Twój osobisty kod
page-code-use = Zachowaj go dla siebie. Z nim możesz kontynuować na innym urządzeniu albo tutaj, jeśli przeglądarka Cię zapomni.
page-code-have = Już biorę udział
page-code-own = Twój osobisty kod
page-code-enter = Dalej
page-code-unknown = Nie ma takiego kodu. Sprawdź go, proszę.
page-join = Zaproszenie
page-join-none = Kontynuuj ze swoim kodem
page-join-about = Odpowiadasz na pytania tutaj, w przeglądarce, bez Telegrama. Nie trzeba podawać imienia, telefonu ani adresu e-mail. Przed pierwszym pytaniem przeczytasz, o czym jest projekt, i zdecydujesz, czy chcesz wziąć udział.
page-join-now = Zacznij
page-remember = Zapamiętaj mnie: to moje urządzenie
page-busy = Właśnie dołącza zbyt wiele osób. Spróbuj za minutę.
page-leave = Wyloguj się na tym urządzeniu
page-move = Kontynuuj w Telegramie
page-move-use = Nie przesyłaj dalej tego linku: otwiera Twoje konto.
page-moved = Od teraz pracujesz tutaj: wszystko, co zrobiono, jest zachowane, a strona już Cię nie zna. /start
page-unite-sure = Bierzesz już tutaj udział. Połączyć z tym kontem Twoje konto ze strony? Zrób to tylko wtedy, gdy oba są Twoje. Odpowiedzi będą wtedy liczone jako odpowiedzi jednej osoby: z dwóch na jedno pytanie liczy się wcześniejsza. Jeśli z jednego konta nastąpiło wyjście z projektu lub wykluczenie, obowiązuje to dla obu. Tego nie da się cofnąć.
page-unite-yes = Tak, oba są moje
page-unite-no = Nie, nie łączyć
page-united = Gotowe: masz teraz jedno konto, a wszystko, co zrobiono, jest zachowane. Strona już Cię nie zna. /start
page-unite-refused = Oba konta mają zadania w Label Studio, więc nie można ich tutaj połączyć. Napisz do organizatorów: /ask
