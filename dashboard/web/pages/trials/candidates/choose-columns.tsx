import type { Candidates } from '../../../../api/trials/candidates.ts';
import { visible } from '../../../../../domain/text/visible.ts';
import { MOST_COLUMNS } from './candidates-view.ts';

interface Props {
  offered: Pick<Candidates, 'metrics' | 'knobs'>;
  chosen: readonly string[];
  onChoose: (columns: string[]) => void;
}

/** Numbers to show as columns: those of the evaluator and of the run, and knobs. */
export function ChooseColumns({ offered: { metrics, knobs }, chosen, onChoose }: Props) {
  const names = [...metrics.map((name) => `metric.${name}`), ...knobs.map((key) => `knob.${key}`)]
    // The address separates names by commas.
    .filter((name) => !name.includes(','));
  if (names.length === 0) return null;
  const toggle = (name: string): void =>
    onChoose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <details className="columns small">
      <summary>Columns{chosen.length > 0 ? ` (${chosen.length})` : ''}</summary>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                disabled={!chosen.includes(name) && chosen.length >= MOST_COLUMNS}
                onChange={() => toggle(name)}
              />{' '}
              {visible(name)}
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
