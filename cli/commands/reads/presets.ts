import type { Command } from 'commander';
import { PRESETS } from '../../../domain/task/presets.ts';
import { readPreset } from '../../arguments/read-preset.ts';
import { printJson, printLine, type Io } from '../../io.ts';
import { renderPreset } from '../../render/lists/preset.ts';

export function registerPresets(program: Command, io: Io): void {
  program
    .command('presets [name]')
    .description(
      'The methods of `start --preset`: values, source, deviations from the source, parts that are not built.',
    )
    .option('--json', 'one JSON object')
    .action((name: string | undefined, options: { json?: boolean }) => {
      const named = name === undefined ? Object.entries(PRESETS) : [[name, readPreset(name, 'the name')] as const];
      if (options.json) return printJson(io, { presets: named.map(([key, preset]) => ({ name: key, ...preset })) });
      for (const [key, preset] of named) for (const line of renderPreset(key, preset)) printLine(io, line);
    });
}
