import { readFences } from './fences.ts';
import { knownPaths } from './known-paths.ts';
import { pathInInfo, pathInLine } from './path.ts';
import { stripThoughts } from './strip-thoughts.ts';

/** Path under which an answer replaces the model's memory. No mutable file of a task may have this name. */
export const MEMORY_PATH = 'PERPETUA-MEMORY.md';
/** Most bytes of a memory, in UTF-8. */
export const MEMORY_BYTES = 16 * 1024;

/** How an answer replaces the memory, for a prompt with a memory. */
export const MEMORY_FORMAT = `You keep a memory over all prompts, of at most ${MEMORY_BYTES} bytes:
what you learnt, and what is left to try. An answer may replace it as a whole. After the edits, give
its new text in one more fenced block, under this line:

${MEMORY_PATH}
\`\`\`\`
the whole new memory
\`\`\`\`

Without such a block the memory stays as it is.`;

/** How a tool call replaces the memory, for a prompt with a memory. */
export const MEMORY_ARGUMENT = `You keep a memory over all prompts, of at most ${MEMORY_BYTES} bytes:
what you learnt, and what is left to try. The call may replace it as a whole: give its new text as \`memory\`.
Without \`memory\` it stays as it is.`;

/** An answer without its memory, and the memory; null: the answer does not replace it. */
export type TakenMemory = { ok: true; rest: string; memory: string | null } | { ok: false; reason: string };

const KNOWN = knownPaths([MEMORY_PATH]);

/**
 * Takes the last block under `MEMORY_PATH` out of an answer. Thoughts of the model do not count. `known` and `files`
 * are the paths and texts of the mutable files.
 */
export function takeMemory(
  text: string,
  { known, files }: { known: readonly string[]; files: Readonly<Record<string, string>> },
): TakenMemory {
  if (!text.includes(MEMORY_PATH)) return { ok: true, rest: text, memory: null };
  const answer = stripThoughts(text, { known: knownPaths([...known, MEMORY_PATH]), files }) ?? text;
  const lines = answer.split(/\r\n|\n|\r/);
  const fences = readFences(lines);
  const isNamed = (line: number): boolean => pathInLine(lines[line] ?? '', KNOWN) === MEMORY_PATH;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const fence = fences.at(at);
    if (fence === null) continue;
    const inInfo = pathInInfo(fence.info, KNOWN) === MEMORY_PATH;
    const heading = inInfo ? at : headingAbove(lines, at);
    if (!inInfo && !(heading < at && isNamed(heading))) continue;
    const end = fences.closeOf(at, fence);
    if (end === null)
      return {
        ok: false,
        reason: `the block for ${MEMORY_PATH} that opens in line ${at + 1} is never closed (was the answer cut off?)`,
      };
    const memory = `${lines.slice(at + 1, end).join('\n')}\n`.trimStart();
    const reason = memoryProblem(memory, MEMORY_PATH);
    if (reason !== null) return { ok: false, reason };
    const rest = [...lines.slice(0, heading), ...lines.slice(end + 1)].join('\n');
    return { ok: true, rest, memory };
  }
  return { ok: true, rest: answer, memory: null };
}

/** The reason why a memory cannot be stored; null if it can. `name`: its name in the answer. */
export function memoryProblem(memory: string, name: string): string | null {
  const bytes = new TextEncoder().encode(memory).length;
  if (bytes <= MEMORY_BYTES) return null;
  return `${name} has ${bytes} bytes, and at most ${MEMORY_BYTES} are kept; answer again with a shorter memory`;
}

/** The last line above a fence that is not blank, at most one blank line away. */
const headingAbove = (lines: readonly string[], at: number): number =>
  (lines[at - 1] ?? '').trim() === '' ? at - 2 : at - 1;
