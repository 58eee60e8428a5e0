"""Views: pure functions that render results of the workflow as messages, without input or output.

`render_` functions return messages, `build_` functions parts of them (text blocks, buttons), `format_` functions words.
"""
