// Follows the ledger: reads /v1/events?digest= by hand, since EventSource sends no token, and
// continues after the last number it has seen. Used by the shared worker and, where there is none,
// by the page itself.

const shortest = 500;
const longest = 10000;

// on.frame(digest), on.state("live" | "connecting" | "lost" | "refused", sentence)
export class Stream {
  constructor(base, token, on) {
    Object.assign(this, { base, token, on, after: 0, wait: shortest, stopped: true, abort: null });
  }

  start(after) {
    this.after = Math.max(this.after, after);
    if (!this.stopped) return;
    this.stopped = false;
    this.run();
  }

  stop() {
    this.stopped = true;
    this.abort?.abort();
  }

  async run() {
    while (!this.stopped) {
      try {
        await this.read();
      } catch (trouble) {
        if (this.stopped) return;
        if (trouble.sentence) this.on.state("refused", trouble.sentence);
        else this.on.state("lost", "The server does not answer; trying again.");
        if (trouble.busy) this.readAgain();
      }
      if (this.stopped) return;
      await new Promise((done) => setTimeout(done, this.wait));
      this.wait = Math.min(longest, this.wait * 2);
    }
  }

  // Without a stream: what the page shows is read again at every try, at least every 10 s.
  readAgain() {
    const nothing = { events: 0, sweeps: [], reports: [] };
    this.on.frame({ ...nothing, seq: this.after, resync: true, workers: true });
  }

  async read() {
    this.abort = new AbortController();
    const headers = { Accept: "text/event-stream" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const url = new URL(`v1/events?digest=250ms&after=${this.after}`, this.base);
    const response = await fetch(url, {
      headers,
      signal: this.abort.signal,
      cache: "no-store",
      credentials: "omit",
    });
    if (!response.ok) {
      const body = await response.json().catch(() => ({}));
      throw Object.assign(new Error("refused"), {
        sentence: body.detail ?? `The server answered ${response.status}.`,
        busy: body.code === "busy",
      });
    }
    this.wait = shortest;
    this.on.state("live", "Live: the page follows the ledger.");
    await this.parse(response.body.getReader());
  }

  async parse(reader) {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        this.take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  take(block) {
    const data = block.split("\n").find((line) => line.startsWith("data: "));
    if (!data) return;
    const frame = JSON.parse(data.slice(6));
    this.after = Math.max(this.after, frame.seq);
    this.on.frame(frame);
  }
}
