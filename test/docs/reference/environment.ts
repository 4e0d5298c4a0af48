import { VARIABLES } from '../../../config/variables.ts';
import { page, table } from './write.ts';

/** Text of `docs/reference/environment.md`: every variable that Perpetua reads. */
export const environmentPage = (): Promise<string> =>
  page('docs/reference/environment.md', {
    title: 'Environment variables',
    from: 'config/variables.ts',
    body: `Read once, at the start of a process. An empty variable is an unset one.\n\n${table(
      ['variable', 'default', 'what'],
      VARIABLES.map(({ name, default: value, doc }) => [`\`${name}\``, value, doc]),
    )}\n\nA run has an environment of its own: [runs](../guides/tasks/runs.md#what-a-run-sees).`,
  });
