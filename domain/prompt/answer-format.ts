import { describeRegions, readRegions } from '../edit/scope/regions.ts';
import type { PromptInput } from './prompt-input.ts';
import { promptLine, truncate } from './strip-controls.ts';

/** Characters of the list of regions. */
const MOST = 2000;

const TEXT_FORM = `Answer in this form:

HYPOTHESIS: one or two sentences: what you change and why it should help
EXPECTED_DELTA: the change of the metric you expect, as a number (or leave the line out)

Then the edits. Change parts of a file with one or more SEARCH/REPLACE blocks, each under a line with the file's path:

path/to/file
<<<<<<< SEARCH
lines of the file, copied exactly, enough of them to occur only once
=======
the lines that take their place
>>>>>>> REPLACE

Or give a whole new file in a fenced block under a line with its path; use a longer fence than any in the file:

path/to/file
\`\`\`\`
the whole new content
\`\`\`\`

`;

const TOOL_FORM = `Answer with one call of the tool propose, with all edits of your change:

- replace: changes a part of a file. \`search\` holds lines of the file, copied exactly, enough of them to occur only
  once, and \`replace\` the lines that take their place.
- write: gives a file its whole new content, without anything left out.
- delete: deletes a file.

`;

const ONLY_SHOWN = 'Only the files shown to you may be changed; no new ones may be made.';

const END = ` If the lines themselves hold "=======", use longer
marks, all three of the same length. Put no other fenced block in the answer.`;

/** The form of an answer for a task that allows only changes of the shown files. `parseAnswer` reads it. */
export const ANSWER_FORMAT = `${TEXT_FORM}${ONLY_SHOWN}${END}`;

/** The form of an answer that the prompt describes. `parseAnswer` reads this form, with some tolerance. */
export function answerFormat(input: PromptInput): string {
  const { create = [], remove = [] } = input.task.edits ?? {};
  if (input.byTools === true) return `${TOOL_FORM}${describeAddedFiles(input) || ONLY_SHOWN.slice(0, -1)}.`;
  if (create.length === 0 && remove.length === 0) return ANSWER_FORMAT;
  const made = 'Give a new file as a whole file, under a line with its path.';
  const deleted = 'Delete a file with a line of its own: DELETE path/to/file';
  const forms = [create.length > 0 ? made : '', remove.length + create.length > 0 ? deleted : ''].filter(Boolean);
  return `${TEXT_FORM}${describeAddedFiles(input)}.\n${forms.join('\n')}\n${END.trimStart()}`;
}

/** New and deleted files that the task allows, in a sentence without its end; empty if it allows none. */
export function describeAddedFiles({ task: { edits } }: PromptInput): string {
  const { create = [], remove = [], mostNewFiles = 0 } = edits ?? {};
  if (create.length === 0 && remove.length === 0) return '';
  const list = (globs: readonly string[]): string => globs.map((glob) => promptLine(glob, 200)).join(', ');
  const made =
    create.length === 0 ? 'no new ones may be made' : `at most ${mostNewFiles} new ones match ${list(create)}`;
  const gone = remove.length === 0 ? '' : `; those that match ${list(remove)} may be deleted`;
  return `Only the files shown to you may be changed; ${made}${gone}`;
}

/** Lines that may change in files with regions, as a paragraph; empty if every line may. */
export function describeEditableLines({ task: { edits }, files }: PromptInput): string {
  if (edits?.regions !== true) return '';
  const lines = Object.entries(files).flatMap(([path, text]) => {
    const read = readRegions(text);
    return read.ok && read.regions.length > 0 ? [`- ${promptLine(path, 300)}: ${describeRegions(read.regions)}`] : [];
  });
  if (lines.length === 0) return '';
  return (
    'In these files only the lines between EVOLVE-BLOCK-START and EVOLVE-BLOCK-END may change. ' +
    `The markers and all other lines must stay exactly as they are:\n${truncate(lines.join('\n'), MOST, 'head')}\n\n`
  );
}
