import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Problem } from '../../domain/task/issue.ts';
import { decodeText } from '../decode-text.ts';

const LARGEST = 256 * 1024;

/** The proposer's text: the named file, else prompt.md where there is one, else null. */
export async function readPrompt(
  folder: string,
  named: string | undefined,
): Promise<{ text: string | null; problems: Problem[] }> {
  const name = named ?? 'prompt.md';
  const file = join(folder, name);
  const wrong = (came: string, todo: string): { text: null; problems: Problem[] } => ({
    text: null,
    problems: [{ path: ['prompt'], expected: `a text file ${name} beside task.yaml`, came, todo }],
  });
  const there = await lstat(file).catch(() => null);
  if (!there)
    return named === undefined ? { text: null, problems: [] } : wrong('nothing', 'write it or remove the key');
  if ((await realpath(file)) !== (await realpath(folder)) + sep + name.replaceAll('/', sep))
    return wrong('a symbolic link', 'copy the file here');
  if (!there.isFile()) return wrong('no regular file', 'name a Markdown file');
  if (there.size > LARGEST) return wrong(`${Math.ceil(there.size / 1024)} KiB`, 'keep it under 256 KiB');
  const text = decodeText(await readFile(file));
  if (text === null || text.includes('\0')) return wrong('no UTF-8 text', 'save it as UTF-8');
  return { text, problems: [] };
}
