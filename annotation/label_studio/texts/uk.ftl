optional = необов’язково
at-least = щонайменше { $least }
at-most = не більше { $most }
between = від { $least } до { $most }
answer-this = Дайте відповідь: «{ $question }».
write-here = Пишіть тут
mark-here = Оберіть мітку, а тоді виділіть частину тексту.
write-here-kept = Пишіть тут. Shift+Enter зберігає чернетку.
edit-kept = Клацніть поза текстом, щоб зберегти чернетку. Esc скасовує написане після цього.
kept = Що збережеться, якщо сторінка закриється
kept-ticks = Усе, що ви позначили, стає чернеткою за 5 секунд.
kept-edit = Текст, який ви виправляєте, зберігається, коли ви клацнете поза ним або натиснете Shift+Enter. Написане після цього зникне, якщо сторінка закриється, а Esc його скасує.
kept-text = Довга відповідь зберігається, коли ви натиснете Shift+Enter або надішлете її.
kept-line = Коротка відповідь зберігається, коли ви натиснете Enter або надішлете її.
tick-nothing = якщо нічого не підходить, не позначайте нічого й підтвердьте це
none-right = Нічого з цього
tick-or-confirm = Дайте відповідь: «{ $question }». Якщо нічого не підходить, позначте «{ $box }».
marked = Позначено
mark-first = Дайте відповідь: «{ $question }». Позначте частину тексту, а тоді виберіть «{ $done }».
mark-or-none = Дайте відповідь: «{ $question }». Позначте частину тексту й виберіть «{ $done }» або виберіть «{ $none }».
seen = Бачу ці відповіді
seen-first = Перегляньте відповіді вгорі, а тоді позначте «{ $box }».
fold = Контекст
original = Оригінал
side-letters = А Б В Г Д Е
side-better-neuter = { $letter } краще
side-better-masculine = { $letter } кращий
side-better-feminine = { $letter } краща
if = Якщо «{ $question }» — { $answer }
first-answer = Ваша перша відповідь
right-answer = Правильна відповідь
explanation = Пояснення
questions = Запитання
verdict-asks = Що правильно?
candidate = Відповідь { $number }
votes = { $count ->
    [one] { $count } голос
    [few] { $count } голоси
   *[other] { $count } голосів
}
own-answer = Моя власна відповідь
own-marks = Те, що я позначаю в тексті
edit-candidate = Відповідь { $number } з моїми змінами
edit-original = Оригінал з моїми змінами
broken = Завдання зіпсоване
also-asks = Які ще відповіді правильні?
also-told = Якщо інших немає, не позначайте нічого.
broken-asks = Що не так із завданням?
write-own = Ваша відповідь
edit-here = Змініть, що треба; цей текст стане відповіддю.
reported = Повідомили
adjudicate-told = Для кожного завдання оберіть правильну відповідь. Якщо жодна не підходить, дайте власну або скажіть, що завдання зіпсоване.
review-asks = Приймаєте відповідь?
review-told = Прийміть кожну відповідь або відхиліть її з причиною.
accept = Прийняти
reject = Відхилити: { $reason }
reject-plain = Відхилити
reject-other = Відхилити з іншої причини
reject-asks = Чому відповідь відхилено?
reject-told = Це може прочитати той, хто відповідав.
reminder-subject = { $title }: { $count ->
    [one] на вас чекає { $count } завдання
    [few] на вас чекають { $count } завдання
   *[other] на вас чекає { $count } завдань
}
reminder-greeting = Вітаємо!
reminder-waiting = { $count ->
    [one] У кампанії «{ $title }» на вас чекає { $count } завдання:
    [few] У кампанії «{ $title }» на вас чекають { $count } завдання:
   *[other] У кампанії «{ $title }» на вас чекає { $count } завдань:
}
reminder-due = Будь ласка, завершіть до { $date }. Якщо не встигаєте, напишіть нам, і ми передамо їх комусь іншому.
reminder-late = Термін минув { $date }. Будь ласка, завершіть якнайшвидше або напишіть нам, і ми передамо їх комусь іншому.
reminder-no-date = Якщо не маєте змоги, напишіть нам, і ми передамо їх комусь іншому.
reminder-thanks = Дякуємо!
second-pass = другий погляд
review = перевірка
adjudication = рішення
gold-review = перевірка ключа
