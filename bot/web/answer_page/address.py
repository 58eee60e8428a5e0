"""The path of the answer page below the public address; the page's own requests are relative to it."""

PAGE_PATH = "/answer/"
