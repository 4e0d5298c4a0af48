import { stringify } from 'yaml';
import type { Preset } from '../../../domain/task/presets.ts';

/** Lines of one preset: its values as in a task.yaml, and what they are from. */
export function renderPreset(name: string, preset: Preset): string[] {
  const { overrides, source, published, deviations, notBuilt } = preset;
  return [
    name,
    ...field('source', [source]),
    ...field('published with', published === null ? [] : [published]),
    ...field('deviates', deviations),
    ...field('not built', notBuilt),
    '  values',
    ...stringify(overrides, { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

/** The model and machines of the publication, for which a preset's numbers hold; null if it needs neither. */
export function presetNote(name: string, { published, notBuilt }: Preset): string | null {
  if (published === null) return null;
  const missing = notBuilt.length === 0 ? '' : `; not built: ${notBuilt.join(', ')}`;
  return `note: the preset ${name} was published with ${published}${missing}`;
}

const field = (label: string, texts: readonly string[]): string[] =>
  texts.map((text) => `  ${label.padEnd(15)} ${text}`);
