import { blocksOf, rowsOf } from './tables.ts';

/** A shell command that a document shows. */
export interface DocumentedLine {
  /** Action of the command, such as `signal pause`; `shell` for a step between such commands. */
  action: string;
  line: string;
}

/** Lines of the shell blocks of a guide, each block from its first `temporal workflow …` on. */
export const linesOfBlocks = (markdown: string): DocumentedLine[] =>
  blocksOf(markdown, 'sh').flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const first = lines.findIndex((line) => line.startsWith('temporal workflow '));
    return first < 0 ? [] : lines.slice(first).map((line) => ({ action: verbOf(line), line }));
  });

/** Values for the placeholders in the cells of a table: the id of a research, and the folder of a task. */
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
      return { action: verbOf(line), line };
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
