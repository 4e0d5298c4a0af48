import { useState } from 'react';
import type { Gantt } from '../../../api/fleet.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { hrefOfTrialId } from '../../parts/trial-href.ts';
import { momentText } from '../../parts/zone.ts';
import { ganttKindOf } from './gantt-bars.ts';
import { slotName } from './labels.ts';
import { KindSign } from './kind-sign.tsx';

const FIRST = 200;

/** Table of the runs, the newest first. */
export function GanttTable({ gantt }: { gantt: Gantt }) {
  const [all, setAll] = useState(false);
  const { slot, trialId, start, seconds } = gantt.bars;
  const newest = slot.map((_, bar) => bar).sort((a, b) => (start[b] ?? 0) - (start[a] ?? 0));
  const shown = all ? newest : newest.slice(0, FIRST);
  const began = (bar: number) => new Date(Date.parse(gantt.from) + (start[bar] ?? 0) * 1000).toISOString();
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of runs">
      <table className="table">
        <caption className="unseen">Runs, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col">Slot</th>
            <th scope="col">Began</th>
            <th scope="col" className="number">
              Took
            </th>
            <th scope="col">End</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((bar) => (
            <tr key={bar}>
              <td>
                <a href={hrefOfTrialId(trialId[bar] ?? '')}>{trialId[bar]}</a>
              </td>
              <td title={gantt.slots[slot[bar] ?? -1]}>{slotName(gantt.slots[slot[bar] ?? -1] ?? '')}</td>
              <td>{momentText(began(bar))}</td>
              <td className="number">{formatSeconds(seconds[bar])}</td>
              <td>
                <span className="row">
                  <KindSign kind={ganttKindOf(gantt, bar)} /> {ganttKindOf(gantt, bar).word}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < newest.length ? (
        <p>
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {newest.length}
          </button>
        </p>
      ) : null}
    </div>
  );
}
