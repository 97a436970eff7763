// What a file of a run can be shown as, by its name. Pure.

/** @typedef {{kind: "image" | "video" | "text", type: string}} Media */

/** @type {Record<string, string>} */
const images = {
  ...{ png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif" },
  ...{ webp: "image/webp", avif: "image/avif", svg: "image/svg+xml", apng: "image/apng" },
};
/** @type {Record<string, string>} */
const videos = { mp4: "video/mp4", m4v: "video/mp4", webm: "video/webm", ogv: "video/ogg" };
const texts = new Set(
  "txt log md json jsonl yaml yml toml ini cfg csv tsv py sh xml html tex".split(" "),
);

/** Bytes that are read to be shown: a browser decodes an image to some ten times of them.
 * @type {Record<Media["kind"], number>} */
export const shownBytes = { image: 16e6, video: 200e6, text: 1e6 };

/**
 * What a file is shown as; null for one that can only be saved.
 * @param {string} name @param {number} bytes @returns {Media | null}
 */
export function mediaOf(name, bytes) {
  const file = name.split("/").at(-1) ?? "";
  const end = file.includes(".") ? (file.split(".").at(-1) ?? "").toLowerCase() : "";
  const found = Object.hasOwn(images, end)
    ? { kind: /** @type {const} */ ("image"), type: images[end] }
    : Object.hasOwn(videos, end)
      ? { kind: /** @type {const} */ ("video"), type: videos[end] }
      : texts.has(end)
        ? { kind: /** @type {const} */ ("text"), type: "text/plain" }
        : null;
  return found && bytes <= shownBytes[found.kind] ? found : null;
}
