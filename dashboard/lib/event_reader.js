// Reads the events of a sweep page by page into a log, and finds those of any place again.
import { get } from "./api.js";

const pageSize = 1000;
const pagesKept = 30; // as they came: some 15 MB
// 25 bytes of each event and 28 of each report: some 200 MB.
export const eventsAtMost = 4_000_000;

export class EventReader {
  constructor(sweep, log) {
    Object.assign(this, { sweep, log });
    this.pages = []; // {first, count, after, items}: items are null where they are not kept
    this.last = 0; // the number in the ledger of the newest event
    this.complete = false; // it has been at the end
    this.busy = null;
  }

  // Reads on until `enough` or the end; calls see() after each page. One at a time.
  async read(enough, see = () => {}) {
    while (this.busy) await this.busy.catch(() => {});
    this.busy = this.readOn(enough, see);
    try {
      await this.busy;
    } finally {
      this.busy = null;
    }
  }

  async readOn(enough, see) {
    for (let more = true; more && !this.full && !enough(); see()) {
      const page = await this.ask(this.last, pageSize);
      this.add(page.items);
      more = Boolean(page.next);
      this.complete ||= !more;
    }
  }

  get full() {
    return this.log.length >= eventsAtMost;
  }

  ask(after, limit) {
    return get(`/v1/events?sweep=${this.sweep}&limit=${limit}&after=${after}`);
  }

  add(items) {
    if (items.length === 0) return;
    const kept = this.pages.length < pagesKept ? items : null;
    this.pages.push({ first: this.log.length, count: items.length, after: this.last, items: kept });
    for (const event of items) this.log.push(event);
    this.last = items.at(-1).seq;
  }

  // The newest events among the first `end`, newest first, at most `most`: those that `fits`. Pages
  // that are not kept are read again, two of them at most.
  async newest(end, most, fits) {
    const found = [];
    let reads = 2;
    for (let at = this.pages.length - 1; at >= 0 && found.length < most; at--) {
      const page = this.pages[at];
      if (page.first >= end) continue;
      if (!page.items && reads-- === 0) break;
      const items = page.items ?? (await this.ask(page.after, page.count)).items;
      for (let i = Math.min(items.length, end - page.first) - 1; i >= 0; i--)
        if (found.length < most && fits(items[i])) found.push(items[i]);
    }
    return found;
  }
}
