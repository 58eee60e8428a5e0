## Campaigns

admin = Кампанії
admin-nothing = Ще нічого не завантажено: `hromada load` у командному рядку.
admin-command = Кампанії, люди, запитання
admin-line = { $title } — { $status }, { $share } %
admin-announced = Повідомлення всім: { $count ->
    [one] ще отримає { $count } людина
    [few] ще отримають { $count } людини
   *[other] ще отримають { $count } людей
}
button-announced = Розсилки: { $count }
stray-text = Зараз від вас не чекають тексту. Щоб написати людям, виберіть тут:
status-loaded = не розпочато
status-running = триває
status-paused = призупинено
status-closed = закрито
progress = { $done } з { $needed } відповідей ({ $share } %)
progress-day = За останні 24 години: { $count }. Зараз тут: { $here }.
progress-end = За такого темпу завершиться { $when }.
people-count = { $count ->
    [one] Бере участь { $count } людина
    [few] Беруть участь { $count } людини
   *[other] Бере участь { $count } людей
}
campaign-projects = Набори даних
button-all = ‹ Усі кампанії
button-back = ‹ Назад
button-people = Люди
button-inbox = Без відповіді: { $count }
button-pause = Призупинити
button-resume = Продовжити
button-invite = Запросити
button-export = Файли
button-announce = Написати всім
button-refresh = Оновити
paused-now = Призупинено: нічого не видається
resumed-now = Триває далі

## People

people = Люди
people-none = Поки ніхто не бере участі.
person-line = { $name } · { $count } · { $when }
person-finished = Відповідей: { $count }, пропусків: { $skipped }
person-pace = Половина відповідей займає менше ніж { $seconds } с.
person-last = Тут востаннє: { $when }
person-never = ще ніколи
person-hand = На руках: { $items }
person-batch = Label Studio: { $count }
person-hand-nothing = На руках нічого немає
person-status = Статус: { $status }
standing-active = бере участь
standing-suspended = участь зупинено
standing-failed = перевірку не пройдено
standing-paused = призупинено за правилом
standing-excluded = виключено
standing-withdrawn = вихід із проєкту
person-suspended = Участь зупинено:
person-gone = Дані стерто на їхнє прохання.
button-suspend = Зупинити участь
button-unsuspend = Повернути участь
button-readmit = Дозволити продовжити
button-release = Забрати: { $count }
release-why = Забрати { $count ->
    [one] { $count } завдання
    [few] { $count } завдання
   *[other] { $count } завдань
} у { $name }? Їх отримають інші; скасувати цього не можна.
button-release-now = Забрати зараз: { $count }
suspend-why = Чому ви зупиняєте участь { $name }? Одне речення: воно лишиться в журналі. Бот його не покаже, але людина прочитає його, якщо попросить свої дані.
suspended-now = Участь { $name } зупинено в усіх проєктах.
no-reason = Нікого не зупинено: у причині немає слів.
unsuspended-now = Участь повернуто
readmitted-now = Участь триває далі
released-now = Забрано: у Telegram { $telegram }, у Label Studio { $label }

## Questions and reports

inbox-nothing = На відповідь ніщо не чекає.
inbox-place = { $kind } · чекає { $left }
kind-question = Запитання
kind-report = Скарга
inbox-item = { $project } · завдання { $item }
inbox-about-project = { $project }
inbox-from = Від { $name }, { $when }
inbox-paused = Завдання не видається.
inbox-answered = Відповідь надіслано. Із завданням усе гаразд? Якщо ні, виправте його: `hromada load ФАЙЛ --fix { $item }`.
button-answer = Відповісти
button-answer-all = Відповісти всім
button-dismiss = Усе гаразд
button-next = Далі ›
answer-type = Напишіть відповідь для { $name }. Її побачить лише ця людина.
answer-all-type = Напишіть відповідь мовою проєкту. Її отримає { $name }, і вона увійде до інструкції: усі прочитають її, перш ніж працювати далі.
answer-sent = Відповідь для { $name } вже в дорозі.
answer-all-preview = Це додасться до інструкції «{ $project }». Усі прочитають її перед наступним запитанням:
button-add = Додати
answer-all-done = Готово: в інструкції нова версія. У файлі проєкту її немає: додайте й туди.
dismissed-now = Завдання знову видається

## Invitations

invitations = Запрошення до «{ $title }»
invitation-none = Поки немає жодного: участь може взяти кожен, хто знайде бота. Щойно з’явиться перше посилання, без нього ніхто вже не приєднається.
invitation-of-programme = Окремо до цього набору даних немає жодного. Запрошення до всієї програми діють і тут.
invitation-line = { $link } — використано { $used }{ $until }
invitation-until = , до { $date }
invitation-ended = , закінчилося { $date }
invitation-new = Зробити нове посилання? Кожен, хто його має, зможе приєднатися до «{ $title }» протягом { $days } днів.
invitation-first = Щойно з’явиться перше посилання, без нього ніхто вже не приєднається.
invitation-one = Запрошення до «{ $title }»
invitation-explained = Хто вже приєднався, той залишається, хоч би що сталося з посиланням. Посилання, що закінчилося, можна продовжити.
button-new-link = Нове посилання
button-make-link = Зробити посилання
button-end-link = Закінчити зараз
button-link-days = { $count ->
    [one] До завтра
    [few] Ще на { $count } дні
   *[other] Ще на { $count } днів
}

## A message to all

announce-type = Напишіть повідомлення. Перш ніж його надіслати, ви його побачите.
announce-preview = { $count ->
    [one] Це отримає { $count } людина, між 10 і 20 годиною за її часом.
    [few] Це отримають { $count } людини, кожна між 10 і 20 годиною за своїм часом.
   *[other] Це отримають { $count } людей, кожна між 10 і 20 годиною за своїм часом.
}
announce-at-once = Туди, де день, повідомлення вийде зараз, деінде — з 10:00 за місцевим часом.
announce-from = Повідомлення вийде з { $when }: до кожної людини з 10:00 за її часом.
announce-nobody = Це не отримав би ніхто: поки немає нікого, кому бот може написати.
button-send = Надіслати
button-dont = Не надсилати
announced-now = { $count ->
    [one] Повідомлення йде { $count } людині.
    [few] Повідомлення йде { $count } людям. За секунду виходить близько 29.
   *[other] Повідомлення йде { $count } людям. За секунду виходить близько 29.
}
dropped-now = Не надіслано.
announced = Повідомлення всім, які ще не всі отримали
announced-nothing = Усі повідомлення отримано.
announced-to-all = усім
announced-line = { $to }: { $count ->
    [one] ще отримає { $count } людина
    [few] ще отримають { $count } людини
   *[other] ще отримають { $count } людей
}, уже мають { $reached }.
button-cancel = Скасувати розсилку
button-cancel-number = Скасувати { $number }
cancel-why = Скасувати це повідомлення? { $count ->
    [one] Його не отримає { $count } людина
    [few] Його не отримають { $count } людини
   *[other] Його не отримають { $count } людей
}; { $reached } вже його мають, і воно в них залишиться:
button-cancel-now = Скасувати для { $count }
cancelled-now = Скасовано: { $count ->
    [one] { $count } людина його не отримає
    [few] { $count } людини його не отримають
   *[other] { $count } людей його не отримають
}, { $reached } вже його мають.
too-long-text = Текст задовгий: щонайбільше { $most } символів.
unknown-command = Команди { $command } немає. Напишіть ще раз із командою, яка є: їх перелічує /help.
empty-text = Напишіть це словами: без тексту нічого надіслати.

## Files

export-asked = Файли «{ $project }» готуються; вони прийдуть сюди.
export-blind = На «{ $project }» люди ще відповідають: результатів не видно, доки проєкт не закрито. Закрийте проєкт (`hromada close { $name }`), тоді попросіть файли.
export-waiting = Вони вже готуються
export-caption = { $project }: відкрийте report.uk.html
export-failed = Файли «{ $project }» зробити не вдалося: { $reason }
export-too-large = Файли «{ $project }» завеликі для Telegram ({ $size } МБ): зробіть їх командою `hromada export { $project }`.
export-too-slow = це тривало задовго; зробіть їх командою `hromada export`
export-given-up = бот кілька разів зупинявся під час підготовки; зробіть їх командою `hromada export`

## Alerts to organisers

alert-half = «{ $title }»: половина відповідей уже є ({ $count }).
alert-end = «{ $title }»: усі відповіді вже є ({ $count }). Закрийте його: `hromada close { $project }`.
alert-stall = «{ $title }»: з { $when } немає жодної відповіді.
alert-decision = { $count ->
    [one] На вас чекає { $count } рішення.
    [few] На вас чекають { $count } рішення.
   *[other] На вас чекає { $count } рішень.
}
alert-backlog = Бот не встигає: щось чекає з { $when } (усього { $count }).
alert-gap = З { $when } від Telegram нічого не надходить: нікому не відповідають. { $why }
gap-unknown = Причина — у журналі бота.
gap-no-answer = Telegram не відповідає; перевірте мережу бота.
gap-unreachable = Зв’язатися з Telegram не вдається; перевірте мережу бота.
gap-errors = Telegram відповідає помилками; коли вони минуть, бот продовжить сам.
gap-told-to-wait = Telegram просить бота зачекати до { $until }; тоді бот продовжить сам.
gap-other-program = Оновлення цього бота з його токеном забирає інша програма: зупиніть її або отримайте новий токен від @BotFather.
gap-other-address = Telegram надсилає оновлення на іншу адресу, яку вказала інша програма: зупиніть її або цього бота.
gap-undelivered = Telegram не може доставити оновлення на адресу бота; перевірте HROMADA_WEBHOOK_URL і проксі.
alert-gap-over = З { $when } до { $until } від Telegram нічого не надходило. Натиснуте за цей час могло загубитися; запитання чекають на людей.
button-open = Відкрити
digest = За добу:
digest-line = { $title }: за 24 години { $day }, усього { $done } з { $needed }{ $end }
digest-end = , завершиться { $when }
digest-paused = { $title }: призупинено, { $done } з { $needed }

## What needs organisers

needs = Потребує вашої уваги
needs-none = Зараз нічого не потребує вашої уваги.
needs-more = { $count ->
    [one] Ще { $count }: `hromada status`
    [few] Ще { $count }: `hromada status`
   *[other] Ще { $count }: `hromada status`
}
needs-since = { $what } · з { $when }
bot-works = Бот працює.
bot-is-off = Бот не працює.
need-bot = Бот не працює: нікому не відповідають
need-bot-never = Тут ще не працював жоден бот: нікому не відповідають
need-disk = На диску майже немає місця: вільно { $free } МБ, потрібно { $needed } МБ
need-silence = Від Telegram нічого не надходить. { $why }
need-backlog = { $count ->
    [one] На бота чекає { $count } оновлення чи повідомлення
    [few] На бота чекають { $count } оновлення чи повідомлення
   *[other] На бота чекає { $count } оновлень чи повідомлень
}
need-parked = { $count ->
    [one] Відкладено { $count } доставку
    [few] Відкладено { $count } доставки
   *[other] Відкладено { $count } доставок
}
need-stall = Відповідей немає добу або довше
need-question = { $count ->
    [one] { $count } запитання від учасників
    [few] { $count } запитання від учасників
   *[other] { $count } запитань від учасників
}
need-report = { $count ->
    [one] { $count } скарга
    [few] { $count } скарги
   *[other] { $count } скарг
}
need-paused = { $count ->
    [one] За правилом призупинено { $count } учасника: { $names }
    [few] За правилом призупинено { $count } учасників: { $names }
   *[other] За правилом призупинено { $count } учасників: { $names }
}
need-dispute = { $count ->
    [one] { $count } спірне завдання
    [few] { $count } спірні завдання
   *[other] { $count } спірних завдань
}
need-dispute-ties = { $count ->
    [one] { $count } спірне завдання, нічия
    [few] { $count } спірні завдання, з них нічиїх: { $ties }
   *[other] { $count } спірних завдань, з них нічиїх: { $ties }
}
need-gold-review = { $count ->
    [one] { $count } завдання на перевірку еталона
    [few] { $count } завдання на перевірку еталона
   *[other] { $count } завдань на перевірку еталона
}
need-review = { $count ->
    [one] { $count } відповідь на перевірку
    [few] { $count } відповіді на перевірку
   *[other] { $count } відповідей на перевірку
}
need-late = { $count ->
    [one] { $count } учасник спізнюється в Label Studio ({ $items }): { $names }
    [few] { $count } учасники спізнюються в Label Studio ({ $items }): { $names }
   *[other] { $count } учасників спізнюються в Label Studio ({ $items }): { $names }
}
need-late-items = { $count ->
    [one] { $count } завдання
    [few] { $count } завдання
   *[other] { $count } завдань
}
need-set-aside = { $count ->
    [one] { $count } анотацію в Label Studio відкладено
    [few] { $count } анотації в Label Studio відкладено
   *[other] { $count } анотацій в Label Studio відкладено
}
need-copies = { $count ->
    [one] У Label Studio лишилася { $count } копія стертих даних
    [few] У Label Studio лишилися { $count } копії стертих даних
   *[other] У Label Studio лишилося { $count } копій стертих даних
}
need-broadcast = { $count ->
    [one] Повідомлення для { $count } людини піде { $until }
    [few] Повідомлення для { $count } людей піде { $until }
   *[other] Повідомлення для { $count } людей піде { $until }
}
need-backup = Остання резервна копія застара: { $file }
need-backup-none = Резервної копії ще немає
need-end = { $count ->
    [one] Усі відповіді вже є ({ $count })
    [few] Усі відповіді вже є ({ $count })
   *[other] Усі відповіді вже є ({ $count })
}

## Times

just-now = щойно
minutes-ago = { $count } хв тому
hours-ago = { $count } год тому
