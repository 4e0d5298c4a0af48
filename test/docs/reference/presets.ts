import { stringify } from 'yaml';
import { type Preset, PRESETS } from '../../../domain/task/presets.ts';
import { page } from './write.ts';

const INTRODUCTION = `A preset gives a new research the settings of a published method:
\`perpetua start my-task --preset tpe\`. \`--set\` wins over the preset. Keys: [task](task.md#search). Methods and when
to use them: [methods](../concepts/methods.md).`;

/** Text of `docs/reference/presets.md`: every preset with its source, deviations, missing parts and values. */
export const presetsPage = (): Promise<string> =>
  page('docs/reference/presets.md', {
    title: 'Presets',
    from: 'domain/task/presets.ts',
    body: [INTRODUCTION, ...Object.entries(PRESETS).map(([name, preset]) => sectionOf(name, preset))].join('\n\n'),
  });

function sectionOf(name: string, { source, published, deviations, notBuilt, overrides }: Preset): string {
  const facts = [
    `- Source: ${source}`,
    `- ${published === null ? 'Needs no model' : `Published with ${published}`}`,
    ...deviations.map((text) => `- Deviation: ${text}`),
    ...notBuilt.map((text) => `- Not built: ${text}`),
  ];
  return [`## ${name}`, facts.join('\n'), `\`\`\`yaml\n${stringify(overrides, { lineWidth: 0 })}\`\`\``].join('\n\n');
}
