import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { removeTree } from '../../infra/remove-tree.ts';
import { reportGrowth, sizeOfTree } from '../../infra/report-growth.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-growth-'));
  onTestFinished(() => removeTree(folder));
  return folder;
}

test('the size of a folder is that of all files below it, and 0 if it is missing', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  await writeFile(join(folder, 'a', 'b', 'c'), 'x'.repeat(30));
  await writeFile(join(folder, 'd'), 'x'.repeat(5));
  expect([await sizeOfTree(folder), await sizeOfTree(join(folder, 'none'))]).toEqual([35, 0]);
});

describe('a long work', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const tenSeconds = () => vi.advanceTimersByTimeAsync(10_000);

  test('reports its size or its own progress every ten seconds, and nothing after its end', async () => {
    const lines: string[] = [];
    let downloads: string | null = 'downloaded 1 of 2 MB';
    const stop = reportGrowth({
      what: 'still installing',
      size: () => Promise.resolve(30e6),
      instead: () => downloads,
      tell: (line) => lines.push(line),
    });
    await tenSeconds();
    downloads = null;
    await tenSeconds();
    stop();
    await tenSeconds();
    expect(lines).toEqual([
      'still installing (10 s, downloaded 1 of 2 MB)',
      'still installing (20 s, 30 MB so far, 1.5 MB/s)',
    ]);
  });

  test('goes on if a report fails, and the next report comes', async () => {
    const lines: string[] = [];
    const size = vi.fn().mockRejectedValueOnce(new Error('disk')).mockResolvedValue(1e6);
    const stop = reportGrowth({ what: 'still working', size, tell: (line) => lines.push(line) });
    await tenSeconds();
    await tenSeconds();
    stop();
    expect(lines).toEqual(['still working (20 s, 1 MB so far, 0.1 MB/s)']);
  });
});
