import { useMemo, useState } from 'react';
import type { Update } from '../../../api/learning.ts';
import { formatValue } from '../../parts/numbers.ts';
import { roundCoordinate } from '../../../../view/figure/mark.ts';
import { RewardBar } from './reward-bar.tsx';
import { lanesOf, type LaneRow } from './lanes.ts';
import { updateStateLabel } from './labels.ts';

interface Props {
  updates: readonly Update[];
  version: number;
  chosen: number | null;
  choose: (k: number) => void;
}

/** Number of rows shown at first. */
const FIRST = 24;
/** Height of a row and width of a lane, in pixels. */
const ROW = 32;
const LANE = 14;

/** The lineage of versions: each update with its parent version and its result. */
export function Versions({ updates, version, chosen, choose }: Props) {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => lanesOf(updates, version), [updates, version]);
  const shown = all ? rows : rows.slice(0, FIRST);
  const lanes = Math.max(...shown.map(({ lane }) => lane)) + 1;
  const most = Math.max(...updates.map(({ reward }) => Math.abs(reward ?? 0)), 0);
  const width = Math.min(8, lanes) * LANE + 10;
  return (
    <div className="versions">
      <Rail rows={shown} width={width} version={version} />
      <ol style={{ paddingLeft: width }}>
        {shown.map(({ k, update }) => (
          <li key={k} data-chosen={k === chosen}>
            {update ? (
              <button type="button" aria-pressed={k === chosen} onClick={() => choose(k)}>
                <VersionLine update={update} most={most} />
              </button>
            ) : (
              <span className="version-line">
                <strong>0</strong> <span>the base model</span>
                {version === 0 ? <span className="badge role">in force</span> : null}
              </span>
            )}
          </li>
        ))}
      </ol>
      {shown.length < rows.length ? (
        <button type="button" className="button" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      ) : null}
    </div>
  );
}

function VersionLine({ update, most }: { update: Update; most: number }) {
  const { k, state, parent, reward, gates, inForce, held, removed } = update;
  return (
    <span className="version-line">
      <strong>{k}</strong>
      <span className="version-state">
        {state === 'done' ? null : updateStateLabel(state)}
        {parent === null || parent === k - 1 ? null : <span className="quiet"> from {parent}</span>}
      </span>
      {inForce ? <span className="badge role">in force</span> : null}
      {held ? <span className="badge">held</span> : null}
      {removed ? (
        <span className="badge" title="The files of its weights are removed">
          removed
        </span>
      ) : null}
      {gates.length === 0 ? null : (
        <span className="badge" title={gates.map(({ words }) => words).join('; ')}>
          <span aria-hidden="true" className="gate-sign">
            ▼
          </span>{' '}
          {gates.length === 1 ? 'a gate' : `${gates.length} gates`}
        </span>
      )}
      <span className="version-reward">
        {reward === null ? null : (
          <>
            <span className="quiet">reward </span>
            {formatValue(reward)}
            <span className="version-bar" aria-hidden="true">
              <RewardBar reward={reward} most={most} />
            </span>
          </>
        )}
      </span>
    </span>
  );
}

/** Lines from each version to its parent version. The dot of an update that made no weights is hollow. */
function Rail({ rows, width, version }: { rows: readonly LaneRow[]; width: number; version: number }) {
  const x = (lane: number) => 8 + Math.min(7, lane) * LANE;
  const y = (row: number) => row * ROW + ROW / 2;
  const lines = rows.flatMap(({ lane, from }, row) => {
    const parent = from === null ? undefined : rows[from];
    // If the parent is below the shown rows, the line runs out at the bottom.
    const [toX, toY] = from === null ? [x(lane), y(row)] : [x(parent?.lane ?? lane), y(Math.min(from, rows.length))];
    const bend =
      toX === x(lane)
        ? `V${roundCoordinate(toY)}`
        : `V${roundCoordinate(toY - ROW / 2)}L${roundCoordinate(toX)} ${roundCoordinate(toY)}`;
    return from === null ? [] : [`M${roundCoordinate(x(lane))} ${roundCoordinate(y(row))}${bend}`];
  });
  const fillOf = ({ k, update }: Pick<LaneRow, 'k' | 'update'>): string => {
    if (k === version) return 'var(--accent)';
    return update === null || update.state === 'done' ? 'var(--ink-2)' : 'var(--surface)';
  };
  return (
    <svg className="rail" width={width} height={rows.length * ROW} aria-hidden="true">
      <path d={lines.join('')} fill="none" stroke="var(--line-strong)" strokeWidth="2" />
      {rows.map(({ k, update, lane }, row) => (
        <circle
          key={k}
          cx={x(lane)}
          cy={y(row)}
          r={k === version ? 6 : 4.5}
          fill={fillOf({ k, update })}
          stroke={k === version ? 'var(--accent)' : 'var(--ink-2)'}
          strokeWidth="2"
        />
      ))}
    </svg>
  );
}
