"""The CSS of the interfaces: cards, and two columns for the correction of a text, one on a narrow screen.

The colours are variables of Label Studio, so that its dark theme works. Its panels of regions are hidden where no spans
are marked. Label Studio escapes the CSS, so that the rules must not contain `>` and `<`.
"""

from annotation.label_studio_controls.elements import STOPPED

PAGE = """
.hr-page {
  --hr-line: var(--color-neutral-border, #e1ded5);
  --hr-quiet: var(--color-neutral-content-subtler, #6e6b64);
  --hr-card: var(--color-neutral-background, #fdfdfc);
  --hr-inset: var(--color-neutral-surface, #f6f5f1);
  --hr-accent: var(--color-primary-surface, #4c5fa9);
  --hr-tint: var(--color-primary-emphasis-subtle, #eef0fb);
  container-type: inline-size; box-sizing: border-box; max-width: 1360px; margin: 0 auto; padding: 0 4px 24px;
  font-size: 17px; line-height: 1.6;
}
.hr-page, .hr-page * {
  font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif !important;
}
.hr-item, .hr-column, .hr-question {
  box-sizing: border-box; min-width: 0; padding: 14px 18px;
  border: 1px solid var(--hr-line); border-radius: 12px; background: var(--hr-card);
}
.hr-page .lsf-object, .hr-page .lsf-text-area, .hr-page .lsf-choices, .hr-page .ant-form-item { margin: 0; padding: 0; }
.hr-page .lsf-richtext__container {
  margin: 0; padding: 0; border: 0; background: none; font: inherit; line-height: inherit; max-height: none;
}
"""

EMPTIED = '.lsf-text-area .lsf-textarea__region :is(textarea:empty, input[value=""])'
"""A field whose text was deleted: Label Studio writes a field's text into the HTML as well."""

ITEM = """
.hr-piece + .hr-piece, .hr-page details + .hr-piece, .hr-text + .hr-text, .lsf-object + .hr-text { margin-top: 16px; }
.hr-words, .hr-text .lsf-richtext__container { white-space: pre-wrap; overflow-wrap: anywhere; }
.hr-words :is(p, ul, ol, pre, table, blockquote) { margin: 0 0 10px; }
.hr-words li p { margin: 0; }
.hr-words ul { padding-left: 28px; list-style: disc; }
.hr-words ol { padding-left: 28px; list-style: decimal; }
.hr-words pre, .hr-words table { display: block; max-width: 100%; overflow-x: auto; }
.hr-words :is(pre, code) { font-family: ui-monospace, "DejaVu Sans Mono", monospace !important; font-size: 15px; }
.hr-words pre { padding: 8px 12px; border-radius: 8px; background: var(--hr-inset); white-space: pre; }
.hr-words table { border-collapse: collapse; }
.hr-words :is(th, td) { padding: 4px 10px; border: 1px solid var(--hr-line); vertical-align: top; }
.hr-title, .hr-title h4, .hr-page summary {
  margin: 0 0 6px !important; color: var(--hr-quiet) !important; font-size: 14px !important;
  font-weight: 600 !important; line-height: 1.5;
}
.hr-page summary { cursor: pointer; }
.hr-second .lsf-choices { margin-top: 12px; }
.hr-none { margin-top: 12px; }
.hr-page .lsf-label { max-width: 100%; height: auto; box-sizing: border-box; white-space: normal; }
.hr-page .lsf-label__text { min-width: 0; white-space: normal; overflow-wrap: anywhere; }
.hr-page .lsf-label__hotkey { flex: none; }
.hr-piece + details { margin-top: 8px; }
.hr-gap {
  display: inline-block; min-width: 4.5em; margin: 0 3px; border-bottom: 3px solid #b45309; border-radius: 4px 4px 0 0;
  background: #fde68a; color: transparent; line-height: 1.25; overflow: hidden; vertical-align: bottom;
}
.hr-mark { padding: 1px 3px; border-radius: 4px; background: #fde68a; color: #3b2f04; }
.hr-further { background: #bfdbfe; color: #172554; text-decoration: underline; text-underline-offset: 3px; }
.hr-second {
  margin-bottom: 16px; padding: 12px 16px; border-left: 4px solid var(--hr-accent); background: var(--hr-tint);
}
.hr-answers { border-collapse: collapse; font-size: 15px; }
.hr-answers th, .hr-answers td { padding: 4px 16px 4px 0; text-align: left; vertical-align: top; }
.hr-answers th { color: var(--hr-quiet); font-weight: 600; }
.hr-same td:last-child { color: #15803d; font-weight: 600; }
.hr-other td:last-child { color: #b45309; font-weight: 600; }
.hr-why { margin: 8px 0 0; }
.hr-option {
  display: inline-block; margin: 2px 2px 2px 0; padding: 0 8px; border: 1px solid var(--hr-line); border-radius: 6px;
  background: var(--hr-card);
}
"""

QUESTIONS = """
.hr-columns { display: grid; gap: 16px; align-items: stretch; }
.hr-column:first-child { background: var(--hr-inset); }
.hr-sides .hr-column:first-child { background: var(--hr-card); }
.hr-item + .hr-sides { margin-top: 16px; }
.hr-column .hr-question { padding: 0; border: 0; background: none; }
.hr-questions {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); gap: 16px; margin-top: 16px;
}
.hr-questions .hr-wide { grid-column: 1 / -1; }
.hr-when .hr-question { height: 100%; }
.hr-asks, .hr-told { display: inline-block; margin: 0 8px 8px 0; }
.hr-page h4 { margin: 0 !important; line-height: 1.5; letter-spacing: 0; }
.hr-asks h4 { font-size: 16px !important; font-weight: 600 !important; }
.hr-told h4, .hr-ends h4 { color: var(--hr-quiet) !important; font-size: 14px !important; font-weight: 400 !important; }
.hr-told.hr-kept, .hr-emptied {
  position: sticky; z-index: 1; top: 0; display: block; margin: 0 0 4px; padding: 4px 18px; background: var(--hr-card);
}
.hr-page:has(.hr-edit textarea:focus) .hr-kept h4 { color: var(--hr-accent) !important; font-weight: 600 !important; }
.hr-page:has(.hr-edit[style*="none"]) .hr-kept { visibility: hidden; }
.hr-warned { display: none; }
.hr-warned h4 { color: #b91c1c !important; font-size: 15px !important; font-weight: 600 !important; }
.hr-needed:has(~ EMPTIED), .hr-page:has(.hr-corrected:not([style*="none"]) ~ EMPTIED) .hr-emptied { display: block; }
.hr-page:has(.hr-corrected:not([style*="none"]) ~ EMPTIED) .hr-kept { display: none; }
body:has(.hr-needed:not([style*="none"]) ~ EMPTIED) STOPPED
.hr-column .hr-asks { display: block; margin: 0 0 6px; }
.hr-column .hr-asks h4 { color: var(--hr-quiet) !important; font-size: 14px !important; }
.hr-page textarea.ant-input {
  margin: 0; padding: 8px 12px; border-radius: 8px; font-size: 16px; line-height: 1.5; field-sizing: content;
  min-height: 2.5em;
}
.hr-page .lsf-text-area * { margin: 0; padding: 0; }
.hr-page .lsf-textarea__region :is(textarea, input) {
  height: auto !important; padding: 8px 12px !important; border-radius: 8px; font-size: 16px; line-height: 1.5;
  field-sizing: content; animation: hr-shown .2s;
}
@keyframes hr-shown { from { visibility: hidden; } to { visibility: hidden; } }
.hr-page .hr-edit :is(textarea.ant-input, .lsf-textarea__region textarea) {
  min-height: 14em; padding: 0 !important; border: 0 !important; border-radius: 0; outline: 0 !important;
  background: none; box-shadow: none; font-size: 17px; line-height: 1.6; letter-spacing: normal; resize: none;
}
.hr-column:has(.hr-edit textarea) { border-color: var(--hr-accent); }
.hr-column:has(.hr-when[style*="none"]) { visibility: hidden; }
.hr-column:has(.hr-edit textarea:focus) { box-shadow: 0 0 0 2px var(--hr-accent); }
.hr-page .lsf-choices { display: flex; flex-flow: column; gap: 6px; }
.hr-page .lsf-choices_layout_inline { flex-flow: row wrap; }
.hr-page .lsf-choices_hidden { display: none; }
.hr-page .lsf-choice { margin: 0; }
.hr-page .lsf-choice__checkbox {
  display: flex; align-items: center; gap: 0; width: 100%; margin: 0; padding: 5px 10px; box-sizing: border-box;
  border: 1px solid var(--hr-line); border-radius: 8px; background: var(--hr-card); font-size: 16px; line-height: 1.4;
}
.hr-page .ant-radio, .hr-page .ant-checkbox { top: 0; align-self: center; margin: 0; }
.hr-page .lsf-choice__checkbox:hover { border-color: var(--hr-accent); }
.hr-page .lsf-choice__checkbox:has(input:checked) { border-color: var(--hr-accent); background: var(--hr-tint); }
.hr-page .lsf-choice .lsf-hint {
  position: static; margin-left: 8px; padding: 1px 5px; border: 1px solid var(--hr-line); border-radius: 4px;
  background: var(--hr-inset); color: var(--hr-quiet); font: 600 11px/1.3 ui-monospace, monospace !important;
  vertical-align: 1px;
}
.hr-keyless :is(.lsf-hint, .lsf-label__hotkey) { display: none; }
.hr-typed .lsf-choices:has(.lsf-choice:nth-child(11)) .lsf-hint { display: none; }
@container (min-width: 900px) {
  .hr-columns { grid-template-columns: 1fr 1fr; }
  .hr-of-3 { grid-template-columns: 1fr 1fr 1fr; }
  .hr-columns + .hr-questions {
    position: sticky; z-index: 2; bottom: -10px; grid-auto-flow: dense; gap: 12px; max-height: 45vh; margin: 4px -6px 0;
    padding: 12px 6px; overflow-y: auto; background: var(--hr-card);
    box-shadow: 0 -10px 12px -12px rgb(0 0 0 / 30%);
  }
  .lsf-main-content:has(.hr-columns) { scroll-padding-bottom: 160px; }
  .hr-columns + .hr-questions .hr-when { grid-column: 1 / -1; }
  .hr-columns + .hr-questions .lsf-choices { flex-flow: row wrap; }
  .hr-columns + .hr-questions .hr-question { padding: 10px 16px 12px; }
  .hr-beside { display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); gap: 16px; align-items: start; }
  .hr-beside .hr-questions {
    position: sticky; top: 0; display: flex; flex-flow: column; gap: 12px; max-height: calc(100vh - 130px); margin: 0;
    overflow-y: auto;
  }
}
"""

DECISIONS = """
.hr-asked { margin-bottom: 8px; font-weight: 600; }
.hr-asked:last-child { margin-bottom: 0; }
.hr-removed { color: #b91c1c; text-decoration: line-through; }
.hr-inserted { color: #15803d; font-weight: 600; text-decoration: underline; text-underline-offset: 3px; }
.hr-report { margin: 8px 0 0; font-size: 15px; }
.hr-columns .hr-when { grid-column: 1 / -1; }
.hr-columns .hr-question { border-color: var(--hr-accent); }
.hr-columns .hr-question textarea.ant-input { min-height: 14em; font-size: 17px; line-height: 1.6; }
@container (min-width: 900px) {
  .hr-columns .hr-when { grid-column: auto; order: -1; }
  .hr-columns .hr-when .hr-question { height: 100%; }
  .hr-columns:has(.hr-when:not([style*="none"])) .hr-column:first-child { display: none; }
}
"""

HEADER = """
@media (max-width: 1000px) {
  .lsf-menu-header__trigger { flex: none; gap: 16px; min-width: 0; }
  .lsf-menu-header__context, .lsf-menu-header__context-item_left { min-width: 0; }
  .lsf-menu-header__context-item_right { flex: none; }
  .lsf-breadcrumbs, .lsf-breadcrumbs__list, .lsf-breadcrumbs__item { min-width: 0; }
  .lsf-breadcrumbs__item:is(:first-child, :last-child), .lsf-breadcrumbs__item::before, .lsf-breadcrumbs__item::after {
    display: none !important;
  }
  .lsf-breadcrumbs__item a, .lsf-breadcrumbs__label {
    display: block !important; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  }
}
"""
"""Label Studio's own header on a narrow screen: the title alone, shortened, so that no button is beyond the edge."""

WITHOUT_PANELS = """
.lsf-sidepanels__wrapper { display: none; }
.lsf-sidepanels { padding: 0 !important; }
"""


def build_style(*, panels: bool, decisions: bool = False) -> str:
    """The CSS; `panels` keeps Label Studio's list of regions, by which marked spans are removed.

    `decisions` is for pages on which answers are decided on.
    """
    questions = QUESTIONS.replace("EMPTIED", EMPTIED).replace("STOPPED", STOPPED)
    return PAGE + HEADER + ITEM + questions + DECISIONS * decisions + ("" if panels else WITHOUT_PANELS)
