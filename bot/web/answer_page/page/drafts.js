// @ts-check
/** What is entered but not sent: stored on the server after a change and on leaving, kept here until it is there. */
import { call, inTelegram, kept, post, say, words } from "./bridge.js";

export class Draft {
  /** @param {{assignment: number, revision: number, asked: {name: string}}} item
   * @param {{version: number, value: any, seen?: Record<string, number>} | null} stored
   * @param {{apply: (value: any) => void, collect: () => any}} question */
  constructor(item, stored, question) {
    this.sent = { assignment: item.assignment, revision: item.revision, question: item.asked.name };
    this.key = `draft ${item.assignment} ${item.revision} ${item.asked.name}`;
    this.question = question; this.device = crypto.randomUUID();
    this.base = stored?.version ?? 0; this.seq = 0; this.sentSeq = 0;
    this.timer = 0; this.retry = 3000; this.busy = false; this.stopped = false; this.over = false;
    this.leave = () => { void this.flush(true); };
    this.hide = () => { if (document.visibilityState === "hidden") void this.flush(true); };
    for (const type of ["pagehide", "leaving", "freeze"]) window.addEventListener(type, this.leave);
    document.addEventListener("visibilitychange", this.hide);
    this.restore(stored);
  }
  get dirty() { return this.seq > this.sentSeq; }
  /** @param {{version: number, value: any, seen?: Record<string, number>} | null} stored */
  restore(stored) {
    /** @type {{base: number, value: any, device: string, seq: number} | null} */ let copy = null;
    try { copy = JSON.parse(kept.get(this.key) ?? "null"); } catch { /* a broken copy */ }
    if (copy && (stored?.seen?.[copy.device] ?? 0) >= copy.seq) { kept.remove(this.key); copy = null; } // it came, its response did not
    if (copy && JSON.stringify(copy.value) !== JSON.stringify(stored?.value)) {
      this.question.apply(copy.value); this.seq += 1;
      if (copy.base < this.base) this.conflict(stored);
      else { say(words.restored); void this.flush(); }
    } else if (stored) { this.question.apply(stored.value); say(words.restored); }
  }
  change() {
    this.seq += 1;
    post("web_app_setup_closing_behavior", { need_confirmation: true });
    if (!this.timer && !this.stopped) this.timer = window.setTimeout(() => void this.flush(), 3000);
  }
  /** Send what is there; on leaving also while a request is under way. @param {boolean} [leaving] */
  async flush(leaving = false) {
    clearTimeout(this.timer); this.timer = 0;
    if (!this.dirty || this.over) return;
    const seq = this.seq, value = this.question.collect();
    kept.set(this.key, JSON.stringify({ base: this.base, value, device: this.device, seq }));
    if (this.stopped || (this.busy && !leaving)) return;
    this.busy = true;
    try {
      const { status, data } = await call("PUT", "draft", { ...this.sent, base: this.base, device: this.device, seq, value }, leaving);
      if (this.over) return;
      if (status === 200) this.note(data.version, seq);
      else if (status === 409) this.conflict(data.draft);
      else if (status === 401) { this.stopped = true; say(inTelegram ? words.again : words.ended, true); }
      else if (status === 410 || status === 400) this.stopped = true; // an answer may still be taken as a late one
      else throw new Error(String(status));
    } catch {
      say(words.offline, true);
      this.timer = window.setTimeout(() => void this.flush(), (this.retry = Math.min(this.retry * 2, 60000)));
    }
    this.busy = false;
    if (this.dirty && !this.timer && !this.stopped) this.timer = window.setTimeout(() => void this.flush(), 3000);
  }
  /** @param {number} version @param {number} seq */
  note(version, seq) {
    this.base = version; this.sentSeq = Math.max(this.sentSeq, seq); this.retry = 3000;
    if (this.dirty) return;
    kept.remove(this.key); post("web_app_setup_closing_behavior", { need_confirmation: false }); say(words.draft);
  }
  /** Neither draft is taken before one is chosen. @param {{version: number, value: any} | null} other */
  conflict(other) {
    this.stopped = true;
    say(words.conflict, true);
    const box = document.createElement("div"), mine = document.createElement("button"), theirs = document.createElement("button");
    box.id = "conflict"; box.setAttribute("role", "alertdialog"); box.setAttribute("aria-label", words.conflict); box.className = "row wrap";
    mine.textContent = words.mine; theirs.textContent = words.theirs; mine.type = theirs.type = "button";
    const settle = () => { box.remove(); this.base = other?.version ?? 0; this.stopped = false; this.seq += 1; void this.flush(); };
    mine.addEventListener("click", settle);
    theirs.addEventListener("click", () => { if (other) this.question.apply(other.value); settle(); });
    box.append(theirs, mine);
    document.querySelector("main")?.prepend(box);
    theirs.focus();
  }
  /** The answer is stored, or the item is left. @param {boolean} [stored] */
  end(stored = false) {
    clearTimeout(this.timer);
    if (!stored) { void this.flush(true); } else kept.remove(this.key);
    this.over = true;
    for (const type of ["pagehide", "leaving", "freeze"]) window.removeEventListener(type, this.leave);
    document.removeEventListener("visibilitychange", this.hide);
    post("web_app_setup_closing_behavior", { need_confirmation: false });
  }
}
