optional = необязательно
at-least = не меньше { $least }
at-most = не больше { $most }
between = от { $least } до { $most }
answer-this = Ответьте: «{ $question }».
write-here = Пишите здесь
mark-here = Выберите метку, а затем выделите часть текста.
write-here-kept = Пишите здесь. Shift+Enter сохраняет черновик.
edit-kept = Щёлкните вне текста, чтобы сохранить черновик. Esc отменяет написанное после этого.
kept = Что сохранится, если страница закроется
kept-ticks = Всё, что вы отметили, становится черновиком через 5 секунд.
kept-edit = Текст, который вы исправляете, сохраняется, когда вы щёлкнете вне его или нажмёте Shift+Enter. Написанное после этого пропадёт, если страница закроется, а Esc его отменит.
kept-text = Длинный ответ сохраняется, когда вы нажмёте Shift+Enter или отправите его.
kept-line = Короткий ответ сохраняется, когда вы нажмёте Enter или отправите его.
tick-nothing = если ничего не подходит, не отмечайте ничего и подтвердите это
none-right = Ничего из этого
tick-or-confirm = Дайте ответ: «{ $question }». Если ничего не подходит, отметьте «{ $box }».
marked = Отмечено
mark-first = Дайте ответ: «{ $question }». Отметьте часть текста, а затем выберите «{ $done }».
mark-or-none = Дайте ответ: «{ $question }». Отметьте часть текста и выберите «{ $done }» или выберите «{ $none }».
seen = Вижу эти ответы
seen-first = Посмотрите на ответы вверху, а затем отметьте «{ $box }».
fold = Контекст
original = Оригинал
side-letters = А Б В Г Д Е
side-better-neuter = { $letter } лучше
side-better-masculine = { $letter } лучше
side-better-feminine = { $letter } лучше
if = Если «{ $question }» — { $answer }
first-answer = Ваш первый ответ
right-answer = Правильный ответ
explanation = Пояснение
questions = Вопросы
verdict-asks = Что правильно?
candidate = Ответ { $number }
votes = { $count ->
    [one] { $count } голос
    [few] { $count } голоса
   *[other] { $count } голосов
}
own-answer = Мой собственный ответ
own-marks = То, что я выделяю в тексте
edit-candidate = Ответ { $number } с моими изменениями
edit-original = Оригинал с моими изменениями
broken = Задание испорчено
also-asks = Какие ещё ответы правильны?
also-told = Если других нет, не отмечайте ничего.
broken-asks = Что не так с заданием?
write-own = Ваш ответ
edit-here = Измените, что нужно; этот текст станет ответом.
reported = Сообщили
adjudicate-told = Для каждого задания выберите правильный ответ. Если ни один не подходит, дайте собственный или скажите, что задание испорчено.
review-asks = Принимаете ответ?
review-told = Примите каждый ответ или отклоните его с причиной.
accept = Принять
reject = Отклонить: { $reason }
reject-plain = Отклонить
reject-other = Отклонить по другой причине
reject-asks = Почему ответ отклонён?
reject-told = Это может прочитать тот, кто отвечал.
reminder-subject = { $title }: { $count ->
    [one] вас ждёт { $count } задание
    [few] вас ждут { $count } задания
   *[other] вас ждёт { $count } заданий
}
reminder-greeting = Здравствуйте!
reminder-waiting = { $count ->
    [one] В кампании «{ $title }» вас ждёт { $count } задание:
    [few] В кампании «{ $title }» вас ждут { $count } задания:
   *[other] В кампании «{ $title }» вас ждёт { $count } заданий:
}
reminder-due = Пожалуйста, закончите до { $date }. Если не успеваете, напишите нам, и мы передадим их кому-нибудь другому.
reminder-late = Срок истёк { $date }. Пожалуйста, закончите поскорее или напишите нам, и мы передадим их кому-нибудь другому.
reminder-no-date = Если у вас нет возможности, напишите нам, и мы передадим их кому-нибудь другому.
reminder-thanks = Спасибо!
second-pass = второй взгляд
review = проверка
adjudication = решения
gold-review = проверка ключа
