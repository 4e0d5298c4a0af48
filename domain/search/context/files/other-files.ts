import { promptLine } from '../../../prompt/strip-controls.ts';
import type { ContextPart } from '../../context.ts';
import type { PromptInput } from '../../../prompt/prompt-input.ts';

const HEAD = '## Other files that a run may read, which are not shown here\n\n';
/** Most files that are listed. */
const MOST = 40;
/** Room for the line that counts the other files. */
const LAST_LINE = 40;
const UNITS = ['bytes', 'KB', 'MB', 'GB'];

/** Names and sizes of the workspace's files whose text the prompt does not contain. */
export const otherFiles: ContextPart = {
  name: 'other files',
  cuts: 'the last names',
  tokens: 1000,
  inTree: true,
  extra: true,
  applies: (input) => unshown(input).length > 0,
  render: (input, room) => {
    const files = unshown(input);
    let text = HEAD;
    let shown = 0;
    for (const { path, bytes } of files.slice(0, MOST)) {
      const line = `- ${promptLine(path, 200)} (${sizeText(bytes)})\n`;
      if (text.length + line.length > room - LAST_LINE) break;
      text += line;
      shown += 1;
    }
    const rest = files.length - shown;
    const whole = `${text}${rest === 0 ? '' : `- and ${rest} more\n`}\n`;
    return whole.length > room ? '' : whole;
  },
};

const unshown = ({ otherFiles = [], readOnly = {}, files }: PromptInput): NonNullable<PromptInput['otherFiles']> =>
  otherFiles.filter(({ path }) => !Object.hasOwn(readOnly, path) && !Object.hasOwn(files, path));

/** A size in words, such as `1.2 MB`. */
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power] ?? ''}`;
}
