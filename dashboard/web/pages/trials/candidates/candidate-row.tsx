import type { CandidateRow } from '../../../../api/trials/candidates.ts';
import { formatSeconds, numberText } from '../../../../../domain/text/format.ts';
import { plural } from '../../../../../domain/text/plural.ts';
import { formatValue, separateThousands } from '../../../parts/numbers.ts';
import { OutcomeSign } from '../../../parts/outcome/outcome.tsx';
import { outcomeOf } from '../../../parts/outcome/outcome-of.ts';
import { UntrustedText } from '../../../parts/untrusted-text.tsx';
import { meanText } from '../../../parts/value.tsx';
import { trialEndLabel } from '../labels.ts';

/** A row of the table: a candidate, or one of its runs below it. */
export type Line =
  { key: string; row: CandidateRow; open: boolean } | { key: string; run: CandidateRow['trials'][number] };

interface Props {
  line: Line;
  /** True: the candidate is in the front of the trade-off that is shown. */
  inFront: boolean;
  /** Position among all rows, and distance from the top. */
  position: { index: number; top: number };
  template: string;
  /** Sd of one run of the unmodified version, which gives the number of decimals. */
  sd: number | null;
  hrefFor: (n: number) => string;
  onToggle: (candidateId: string) => void;
}

/** Limit of characters of an idea on its line. */
const SHOWN = 400;

export function CandidateLine({ line, inFront, position, template, sd, hrefFor, onToggle }: Props) {
  const { index, top } = position;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="candidate-row"
      data-run={'run' in line}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
    >
      {'run' in line ? (
        <RunCells run={line.run} sd={sd} href={hrefFor(line.run.n)} />
      ) : (
        <CandidateCells
          row={line.row}
          inFront={inFront}
          open={line.open}
          sd={sd}
          hrefFor={hrefFor}
          onToggle={onToggle}
        />
      )}
    </div>
  );
}

function CandidateCells({
  row,
  inFront,
  open,
  sd,
  hrefFor,
  onToggle,
}: Pick<Props, 'inFront' | 'sd' | 'hrefFor' | 'onToggle'> & { row: CandidateRow; open: boolean }) {
  const { n, measured, verdict, outcome, hypothesis, trials, numbers, seconds, candidateId } = row;
  const shown = outcomeOf({ status: outcome, verdict });
  return (
    <>
      <span role="cell" className="n">
        <a href={hrefFor(n)} className="open">
          #{n}
        </a>
        {inFront ? (
          <span className="in-front" title="in the front: no other candidate dominates it">
            {' '}
            ◆<span className="unseen">in the front</span>
          </span>
        ) : null}
      </span>
      <span role="cell" className="end-word">
        {shown ? <OutcomeSign outcome={shown} /> : null} {trialEndLabel({ status: outcome, verdict })}
      </span>
      <span role="cell" className="number value">
        {measured === null ? '–' : meanText(measured, sd)}
        <span className="second">{measured === null ? 'no value' : plural(measured.n, 'run')}</span>
      </span>
      <span role="cell" className="fold">
        <button type="button" className="button small" aria-expanded={open} onClick={() => onToggle(candidateId)}>
          {open ? '▾' : '▸'} {plural(trials.length, 'trial')}
        </button>
      </span>
      <span role="cell" className="idea">
        {hypothesis === null ? (
          <span className="quiet">{trials[0]?.kind === 'baseline' ? 'the unmodified version' : 'no idea'}</span>
        ) : (
          <UntrustedText text={hypothesis} line max={SHOWN} />
        )}
      </span>
      {numbers.map((number, at) => (
        <span key={at} role="cell" className="number chosen">
          {number === null ? '–' : separateThousands(numberText(number))}
        </span>
      ))}
      <span role="cell" className="number seconds">
        {formatSeconds(seconds)}
      </span>
    </>
  );
}

function RunCells({ run, sd, href }: { run: CandidateRow['trials'][number]; sd: number | null; href: string }) {
  return (
    <>
      <span role="cell" className="n">
        <a href={href} className="open">
          #{run.n}
        </a>
      </span>
      <span role="cell" className="end-word quiet">
        {run.status ?? 'under way'}
      </span>
      <span role="cell" className="number value">
        {formatValue(run.value, sd)}
      </span>
      <span role="cell" className="fold quiet">
        {run.kind}
      </span>
    </>
  );
}
