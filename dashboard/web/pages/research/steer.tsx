import type { Research } from '../../../api/research.ts';
import { Command } from '../../parts/command.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';
import { Ago } from '../../parts/value.tsx';

/** Commands for a person's wishes, and the notes that were given. */
export function Steer({ research: { commands, notes, temporalUrl } }: { research: Research }) {
  return (
    <Panel title="Steer" note="in a terminal, in the folder of the installation">
      <div className="stack">
        {commands.map(({ label, command }) => (
          <Command key={command} label={label} command={command} />
        ))}
        {temporalUrl === null ? null : (
          <p className="small">
            <a href={temporalUrl} target="_blank" rel="noreferrer">
              Its workflow in Temporal
            </a>
          </p>
        )}
        <h3>Notes to the proposer</h3>
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
      </div>
    </Panel>
  );
}
