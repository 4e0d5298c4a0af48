import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeTransfer } from '../domain/text/transfer.ts';

const REPORT_MS = 10_000;

interface Growth {
  /** The work in words, such as `still installing`. */
  what: string;
  /** Bytes that the work has written so far. */
  size: () => Promise<number>;
  /** Receives a line every ten seconds. */
  tell: (line: string) => void;
  /** Progress that is known beside the size, in place of the size; null: none yet. */
  instead?: (seconds: number) => string | null;
}

/** Reports how much a long work has written, and how fast. Returns a function that ends the reports. */
export function reportGrowth(growth: Growth, everyMs = REPORT_MS): () => void {
  const began = performance.now();
  let isOver = false;
  const report = async (): Promise<void> => {
    const seconds = (performance.now() - began) / 1000;
    const line = await describeGrowth(growth, seconds);
    if (!isOver) growth.tell(line);
  };
  // Ignores errors: a report that fails, such as on a full disk, must not end the work.
  const timer = setInterval(() => void report().catch(() => undefined), everyMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** A report: `still installing (20 s, 512 MB so far, 25.6 MB/s)`. */
async function describeGrowth({ what, size, instead }: Growth, seconds: number): Promise<string> {
  const words = instead?.(seconds) ?? describeTransfer({ bytes: await size(), seconds });
  return `${what} (${Math.round(seconds)} s, ${words})`;
}

/** Bytes of all files below a folder; 0 if there is none. Files that vanish meanwhile do not count. */
export async function sizeOfTree(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await sizeOfTree(path);
    else sum += (await lstat(path).catch(() => null))?.size ?? 0;
  }
  return sum;
}
