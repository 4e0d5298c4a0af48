import { describe, expect, it } from 'vitest';
import { findArtefactCode } from '../../../../infra/evaluate/artefact/find-artefact-code.ts';
import { searchInThread } from '../../../../infra/evaluate/artefact/search-in-thread.ts';
import { PICKLE, zipOf } from '../../../domain/artefact/support/zip-of.ts';

const archive = (content: Uint8Array, copies?: number): Buffer => {
  const { files, directory, end } = zipOf(content, copies);
  return Buffer.concat([files, directory, end]);
};
const find = (content: Uint8Array): Promise<string | null> => findArtefactCode([{ path: 'a.bin', content }]);

/** Takes long to look into, and is no code: numbers of a pickle without an end. */
const SLOW = Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(1024 * 1024, 'K')]);

describe('the search of artefacts', () => {
  it('looks into an artefact that is larger than the search without a thread allows', async () => {
    const text = Buffer.alloc(3 * 1024 * 1024, 'text');
    expect(await find(text)).toBe(null);
    expect(await find(archive(Buffer.concat([text])))).toBe(null);
    expect(await find(Buffer.concat([PICKLE, text]))).toBe('a.bin (a pickle)');
    expect(await find(archive(Buffer.concat([PICKLE, text])))).toBe('a.bin (a zip archive with a pickle)');
  });

  it('counts files that overlap as often as they occur', async () => {
    expect(await find(archive(Buffer.alloc(1024 * 1024, 'text'), 300))).toBe(
      'a.bin (a zip archive with more data than Perpetua looks into)',
    );
  });

  it('runs in a thread, which reports an artefact that takes too long', async () => {
    // Only a timer of this thread ends the search, so its event loop goes on meanwhile.
    expect(await searchInThread(archive(SLOW, 250), 0.01)).toContain('takes Perpetua too long');
  });
});
