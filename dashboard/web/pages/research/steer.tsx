import type { Research } from '../../../api/research.ts';
import { Command } from '../../parts/command.tsx';
import { Panel } from '../../parts/panel.tsx';

/** Commands for a person's wishes: the page itself changes nothing. */
export function Steer({ research: { commands, temporalUrl } }: { research: Research }) {
  return (
    <Panel title="Steer" note="in a terminal">
      <div className="stack steer">
        {commands.map(({ label, command }) => (
          <div key={command}>
            <p className="quiet small">{label}</p>
            <Command command={command} />
          </div>
        ))}
        {temporalUrl === null ? null : (
          <p className="small">
            <a href={temporalUrl} target="_blank" rel="noreferrer">
              Its workflow in Temporal
            </a>
          </p>
        )}
      </div>
    </Panel>
  );
}
