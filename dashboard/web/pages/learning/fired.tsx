import type { Update } from '../../../api/learning.ts';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';
import { metricName, thenWord } from './words.ts';

/** Gates at most: the newest. */
const SHOWN = 30;

/** The gates that fired, in words, the newest first. */
export function Fired({ updates, choose }: { updates: readonly Update[]; choose: (k: number) => void }) {
  const fired = [...updates]
    .sort((a, b) => b.k - a.k)
    .flatMap(({ k, gates }) => gates.map((gate, index) => ({ ...gate, k, key: `${k} ${index}` })));
  return (
    <Panel title="Gates that fired" note={fired.length === 0 ? undefined : `${fired.length} in all`}>
      {fired.length === 0 ? (
        <p className="quiet">None: every number stayed within its limits.</p>
      ) : (
        <ul className="fired">
          {fired.slice(0, SHOWN).map(({ key, k, metric, then, words }) => (
            <li key={key}>
              <span aria-hidden="true" className={`gate-sign ${then}`}>
                {then === 'halt' ? '■' : '▼'}
              </span>
              <span>
                <button type="button" className="link" onClick={() => choose(k)}>
                  Update {k}
                </button>{' '}
                <strong>{metricName(metric)}</strong>, {thenWord(then)}: <ForeignText text={words} line max={500} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
