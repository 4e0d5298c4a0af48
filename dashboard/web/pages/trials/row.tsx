import { memo } from 'react';
import type { TrialRow } from '../../../api/trials/rows.ts';
import { formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { OutcomeSign } from '../../parts/outcome/outcome.tsx';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { visible } from '../../../../domain/text/visible.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { momentText } from '../../parts/zone.ts';
import { trialEndLabel } from './labels.ts';

interface Props {
  n: number;
  /** Undefined: not read yet; null: there is no such trial. */
  row: TrialRow | null | undefined;
  /** Sd of one run of the unmodified version, which gives the number of decimals. */
  sd: number | null;
  href: string;
  position: { index: number; top: number };
  active: boolean;
  picked: boolean;
  onPick: (n: number) => void;
}

/** A trial as a row of the grid. On a narrow screen, its cells are stacked. */
export const Row = memo(function Row(props: Props) {
  const { n, row, href, position, active, picked, onPick } = props;
  return (
    <div
      id={`trial-${n}`}
      role="row"
      aria-rowindex={position.index + 2}
      aria-selected={picked}
      className="trial-row"
      data-active={active}
      style={{ transform: `translateY(${position.top}px)` }}
    >
      <span role="gridcell" className="pick">
        <input type="checkbox" tabIndex={-1} checked={picked} onChange={() => onPick(n)} aria-label={`Compare ${n}`} />
      </span>
      <span role="gridcell" className="n">
        <a href={href} tabIndex={-1} className="open">
          #{n}
        </a>
        {row && row.kind !== 'search' ? <span className="second">{row.kind}</span> : null}
      </span>
      {row ? <Cells {...props} row={row} /> : <Missing gone={row === null} />}
    </div>
  );
}, isSame);

/** Compares the props by value, since `position` is a new object at each render. */
function isSame(before: Props, after: Props): boolean {
  return (
    before.row === after.row &&
    before.n === after.n &&
    before.position.index === after.position.index &&
    before.position.top === after.position.top &&
    before.active === after.active &&
    before.picked === after.picked &&
    before.href === after.href &&
    before.sd === after.sd &&
    before.onPick === after.onPick
  );
}

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** A moment in a table: the time of day, with the date if it is not today. */
function shortMoment(at: string, now: Date = new Date()): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  return today ? time.format(date) : `${day.format(date)}, ${time.format(date)}`;
}

function Cells({ row, sd }: Props & { row: TrialRow }) {
  const { value, gain, hypothesis, seconds, usd, slot } = row;
  const outcome = outcomeOf(row);
  const why = [row.failure, row.reason].filter(Boolean).join(': ');
  const at = row.endedAt ?? row.startedAt;
  return (
    <>
      <span role="gridcell" className="end-word" data-under-way={outcome === null}>
        {outcome ? <OutcomeSign outcome={outcome} /> : null}
        {trialEndLabel(row)}
      </span>
      <span role="gridcell" className="number value">
        <span className={row.sameMetric ? '' : 'quiet'}>{formatValue(value, row.sameMetric ? sd : null)}</span>
        {value === null || row.sameMetric ? null : <span className="second">old metric</span>}
        {row.trusted === false ? <span className="second untrusted">untrusted</span> : null}
      </span>
      <span role="gridcell" className="number gain" data-better={gain !== null && gain > 0 && outcome !== 'discard'}>
        {gain === null ? '' : formatSigned(gain, sd)}
      </span>
      <span role="gridcell" className="idea">
        <span className="first" title={titleOf(hypothesis)}>
          {hypothesis === null ? (
            <span className="quiet">{noIdea(row)}</span>
          ) : (
            <UntrustedText text={hypothesis} line max={SHOWN} />
          )}
        </span>
        {why === '' ? null : (
          <span className="second" title={titleOf(why)}>
            <UntrustedText text={why} line max={SHOWN} />
          </span>
        )}
      </span>
      <span role="gridcell" className="number seconds">
        {seconds === null ? '' : formatSeconds(seconds)}
      </span>
      <span role="gridcell" className="number cost">
        {usd === null ? '' : formatUsd(usd)}
      </span>
      <span role="gridcell" className="on-slot" title={titleOf(slot)}>
        {slot === null ? '' : visible(slot)}
      </span>
      <span role="gridcell" className="number when" title={at === null ? undefined : momentText(at)}>
        {at === null ? '' : shortMoment(at)}
      </span>
    </>
  );
}

/** Limit of characters of a text on one line. */
const SHOWN = 400;

const titleOf = (text: string | null): string | undefined => (text ? visible(text.slice(0, 2000)) : undefined);

/** Text in place of an idea: a run of a known candidate has none. */
function noIdea({ kind, ofTrial, status }: TrialRow): string {
  if (kind === 'baseline') return 'the unmodified version';
  if (ofTrial !== null) return `another run of #${ofTrial}`;
  return status === null ? 'no idea yet' : 'no idea';
}

const Missing = ({ gone }: { gone: boolean }) => (
  <span role="gridcell" aria-colspan={8} className="missing">
    {gone ? 'this trial no longer exists' : <span className="unseen">reading</span>}
  </span>
);
