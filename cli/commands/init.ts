import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { say, sayJson, type Io } from '../io.ts';
import { quoteWord } from '../render/quote.ts';

export function registerInit(program: Command, io: Io): void {
  program
    .command('init <dir>')
    .description('Write a small working task into a new or empty folder, to start from.')
    .option('--json', 'one JSON object')
    .action(async (dir: string, options: { json?: boolean }) => {
      const [{ configOf }, { copyTemplate, taskNameFrom }, { listTasks }] = await Promise.all([
        import('../context.ts'),
        import('../copy-template.ts'),
        import('../../tasks/find.ts'),
      ]);
      const { packageRoot } = await configOf(io);
      const target = resolve(dir);
      const name = taskNameFrom(basename(target));
      const files = await copyTemplate({ from: join(packageRoot, 'tasks', 'template'), to: target, shown: dir, name });
      if (options.json) return sayJson(io, { path: target, name, files });
      say(io, `wrote the task ${name} to ${dir}:`);
      // A name stands for the known task, whatever folder is here.
      const known = await listTasks({ cwd: process.cwd(), builtin: join(packageRoot, 'tasks') });
      const quoted = quoteWord(known.some((task) => task.name === dir) ? `./${dir}` : dir);
      for (const file of files) say(io, `  ${file}`);
      say(io, `next:  npx perpetua check ${quoted}   then   npx perpetua start ${quoted}`);
    });
}
