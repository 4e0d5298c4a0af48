import { blocksOf, rowsOf } from './tables.ts';

/** A command that a document shows, for the shell. */
export interface DocumentedLine {
  /** What it does, such as `signal pause`; `shell` for a step between such commands. */
  does: string;
  line: string;
}

/** Each line from the first `temporal workflow …` of a guide on, of the blocks that have one. */
export const linesOfBlocks = (markdown: string): DocumentedLine[] =>
  blocksOf(markdown, 'sh').flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const first = lines.findIndex((line) => line.startsWith('temporal workflow '));
    return first < 0 ? [] : lines.slice(first).map((line) => ({ does: verbOf(line), line }));
  });

/** What a table's cells shorten: an id, the folder of a task, the last of three dots wherever they are left. */
export interface Filling {
  id: string;
  folder: string;
}

/** The commands of the column `temporal workflow …` of a table, each with its variants (`or …`, `also …`). */
export function linesOfTable(markdown: string, { id, folder }: Filling): DocumentedLine[] {
  const cells = rowsOf(markdown).map((row) => row[2] ?? '');
  return cells.flatMap((cell) => {
    const [command = '', ...variants] = [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    if (!/^(start|query|signal|update execute) /.test(command)) return [];
    const whole = command
      .replace(/^(signal|update execute) … /, '$1 --workflow-id ID ')
      .replace(/\bID\b/, id)
      .replace(/"task":"[^"]*"/, `"task":"${folder}"`);
    return [whole, ...variants.map((variant) => varied(whole, variant))].map((text) => {
      const line = `temporal workflow ${text}`;
      return { does: verbOf(line), line };
    });
  });
}

/** Another name of a message, or another value of its argument. */
const varied = (command: string, variant: string): string =>
  variant.startsWith('"')
    ? command.replace(/:[^:{}]+\}/, `:${variant}}`)
    : command.replace(/(--(?:name|type)) \S+/, `$1 ${variant}`);

function verbOf(line: string): string {
  const [, verb] = /^temporal workflow (start|query|signal|update)/.exec(line) ?? [];
  if (verb === undefined) return 'shell';
  return verb === 'start' ? verb : `${verb} ${/--(?:name|type) (\w+)/.exec(line)?.[1]}`;
}
