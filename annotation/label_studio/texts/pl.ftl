optional = nieobowiązkowe
at-least = co najmniej { $least }
at-most = najwyżej { $most }
between = od { $least } do { $most }
answer-this = Odpowiedz, proszę: „{ $question }”.
write-here = Pisz tutaj
mark-here = Wybierz etykietę, a potem zaznacz fragment tekstu.
mark = Zaznaczenie
mark-number = Zaznaczenie { $number }
mark-done = Gdy wszystko jest zaznaczone, wybierz „{ $done }”.
write-here-kept = Pisz tutaj. Shift+Enter zapisuje wersję roboczą.
edit-kept = Kliknij poza poprawianym tekstem, aby zapisać to, co napisano; Esc to cofa. Klawisze i Ctrl+Enter (wyślij) działają tylko tam.
is-empty = Tekst jest pusty, więc odpowiedzi nie można wysłać. Kliknij poza nim, a potem przywróć go strzałką na dole po lewej albo skopiuj oryginał.
is-blank = Odpowiedź jest pusta, więc nie można jej wysłać. Napisz ją jeszcze raz albo naciśnij Esc, aby ją przywrócić.
is-unmarked = W tekście nic nie zaznaczono, więc odpowiedzi nie można wysłać.
kept = Co zostanie zapisane, jeśli strona się zamknie
kept-ticks = Wszystko, co zaznaczysz, zapisuje się jako wersja robocza po 5 sekundach.
kept-edit = Poprawiany tekst zapisuje się, gdy klikniesz poza nim lub naciśniesz Shift+Enter. To, co napiszesz później, zniknie, jeśli strona się zamknie, a Esc to cofnie.
kept-text = Długa odpowiedź zapisuje się, gdy naciśniesz Shift+Enter lub ją wyślesz.
kept-line = Krótka odpowiedź zapisuje się, gdy naciśniesz Enter lub ją wyślesz.
page = Klawisze i przyciski
keys-toggle = Klawisz wybiera swoją opcję. Naciśnięty ponownie, cofa wybór.
keys-outside = Klawisze działają tylko wtedy, gdy kursor nie jest w tekście.
english-words = Napisy samego Label Studio są po angielsku. „Skip” pomija zadanie, „Submit” wysyła odpowiedź, „Update” ją zmienia. Po ostatnim zadaniu pojawia się „No More Tasks Left in Queue”: to już wszystko.
tick-nothing = jeśli nic nie pasuje, nie zaznaczaj nic i potwierdź to
none-right = Nic z tego
tick-or-confirm = Odpowiedz: „{ $question }”. Jeśli nic nie pasuje, zaznacz „{ $box }”.
marked = Zaznaczono
mark-first = Odpowiedz: „{ $question }”. Zaznacz fragment tekstu, a potem wybierz „{ $done }”.
mark-or-none = Odpowiedz: „{ $question }”. Zaznacz fragment tekstu i wybierz „{ $done }” albo wybierz „{ $none }”.
seen = Widzę te odpowiedzi
seen-first = Zobacz odpowiedzi na górze, a potem zaznacz „{ $box }”.
fold = Kontekst
original = Oryginał
side-letters = A B C D E F
side-better-neuter = { $letter } lepsze
side-better-masculine = { $letter } lepszy
side-better-feminine = { $letter } lepsza
if = Jeśli „{ $question }” to { $answer }
first-answer = Twoja pierwsza odpowiedź
right-answer = Poprawna odpowiedź
options = Opcje
explanation = Wyjaśnienie
questions = Pytania
verdict-asks = Co jest poprawne?
candidate = Odpowiedź { $number }
votes = { $count ->
    [one] { $count } głos
    [few] { $count } głosy
    [many] { $count } głosów
   *[other] { $count } głosu
}
own-answer = Moja odpowiedź
own-marks = Moje zaznaczenia w tekście
edit-candidate = Odpowiedź { $number } z moimi zmianami
edit-original = Oryginał z moimi zmianami
broken = Zadanie jest zepsute
also-asks = Które z odpowiedzi też są poprawne?
also-told = Jeśli nie ma innych, nic nie zaznaczaj.
broken-asks = Co jest nie tak z zadaniem?
write-own = Twoja odpowiedź
edit-here = Zmień, co trzeba; ten tekst będzie odpowiedzią.
reported = Zgłoszono
adjudicate-told = Przy każdym zadaniu wybierz poprawną odpowiedź. Jeśli żadna nie jest poprawna, podaj własną albo zaznacz, że zadanie jest zepsute.
review-asks = Przyjmujesz tę odpowiedź?
review-told = Każdą odpowiedź przyjmij albo odrzuć, podając powód.
accept = Przyjmij
reject = Odrzuć: { $reason }
reject-plain = Odrzuć
reject-other = Odrzuć z innego powodu
reject-asks = Dlaczego odrzucasz?
reject-told = Osoba, która odpowiadała, może to przeczytać.
reminder-subject = { $title }: { $count ->
    [one] czeka na Ciebie { $count } zadanie
    [few] czekają na Ciebie { $count } zadania
   *[other] czeka na Ciebie { $count } zadań
}
reminder-greeting = Dzień dobry!
reminder-waiting = { $count ->
    [one] W kampanii „{ $title }” czeka na Ciebie { $count } zadanie:
    [few] W kampanii „{ $title }” czekają na Ciebie { $count } zadania:
   *[other] W kampanii „{ $title }” czeka na Ciebie { $count } zadań:
}
reminder-aside = { $count ->
    [one] Jedna z tych odpowiedzi jest niepełna. Otwórz ją, proszę, pod tym adresem, popraw, kliknij poza tekstem i naciśnij Update:
   *[other] Niektóre z tych odpowiedzi są niepełne. Otwórz, proszę, każdą pod tymi adresami, popraw, kliknij poza tekstem i naciśnij Update:
}
reminder-due = Zakończ, proszę, do { $date }. Jeśli nie zdążysz, napisz do nas, a przekażemy je komuś innemu.
reminder-late = Termin minął { $date }. Zakończ, proszę, jak najszybciej albo napisz do nas, a przekażemy je komuś innemu.
reminder-no-date = Jeśli nie możesz, napisz do nas, a przekażemy je komuś innemu.
reminder-thanks = Dziękujemy!
second-pass = drugie spojrzenie
review = przegląd
adjudication = rozstrzyganie
gold-review = przegląd wzorców
