import type { Research } from '../../../api/research.ts';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';
import { Ago } from '../../parts/value.tsx';

/** Advice that people gave to the proposer. */
export function Notes({ research: { notes } }: { research: Research }) {
  return (
    <Panel title="Notes to the proposer">
      {notes.length === 0 ? <p className="quiet small">None yet.</p> : null}
      <ul className="stack small">
        {notes.map(({ text, at }) => (
          <li key={`${at} ${text}`}>
            <ForeignText text={text} max={1000} />{' '}
            <span className="quiet">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
