import type { Relative, Trial } from '../../../api/trials/trial.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { formatInteger, formatValue } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { useAddress } from '../../router.ts';
import { OUTCOME_LABELS } from '../../parts/outcome/outcome-look.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { OutcomeSign } from '../../parts/outcome/outcome.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { trialHref } from './list-links.ts';

/** Number of trials of each kind shown at first. */
const SHOWN = 5;

/** Panel with the trial's parent, its children and other runs of its candidate. */
export function Family({ trial: { research, parentId, parent, children, reruns, counts } }: { trial: Trial }) {
  return (
    <Panel title="Family">
      <div className="stack">
        {parentId === null ? null : (
          <Relatives title="Parent" research={research} trials={parent ? [parent] : []} none="the unmodified version" />
        )}
        <Relatives
          title={counts.children === 0 ? 'Children' : plural(counts.children, 'child').replace('childs', 'children')}
          research={research}
          trials={children}
          total={counts.children}
          none="none yet"
        />
        {reruns.length === 0 ? null : (
          <Relatives
            title="Other runs of the same candidate"
            research={research}
            trials={reruns}
            total={counts.reruns}
          />
        )}
      </div>
    </Panel>
  );
}

interface Props {
  title: string;
  research: string;
  trials: readonly Relative[];
  /** Number of all such trials; default: the number of `trials`. */
  total?: number;
  /** Text if there are no trials. */
  none?: string;
}

/** Limit of characters of an idea on one line. */
const IDEA_CHARACTERS = 300;

/** Link to a related trial: its outcome, number, value and idea. */
function RelativeLink({ trial, href }: { trial: Relative; href: string }) {
  const outcome = outcomeOf(trial);
  return (
    <a className="relative-link" href={href}>
      {outcome ? <OutcomeSign outcome={outcome} /> : <span className="turning" aria-hidden="true" />}
      <span className="number">#{trial.n}</span>
      <span className="unseen">{outcome ? OUTCOME_LABELS[outcome] : 'under way'}</span>
      <span className="number value">{trial.value === null ? '' : formatValue(trial.value)}</span>
      <span className="idea">
        <UntrustedText text={trial.hypothesis ?? trial.kind} line max={IDEA_CHARACTERS} />
      </span>
    </a>
  );
}

function Relatives({ title, research, trials, total = trials.length, none }: Props) {
  const { params } = useAddress();
  const links = trials.map((trial) => (
    <li key={trial.n}>
      <RelativeLink trial={trial} href={trialHref(research, trial.n, params)} />
    </li>
  ));
  return (
    <div>
      <h3>{title}</h3>
      {links.length === 0 ? <p className="quiet small">{none}</p> : <ul>{links.slice(0, SHOWN)}</ul>}
      {links.length > SHOWN ? (
        <details className="more">
          <summary>{links.length - SHOWN} more</summary>
          <ul>{links.slice(SHOWN)}</ul>
          {total > links.length ? (
            <p className="quiet small">and {formatInteger(total - links.length)} that are not listed</p>
          ) : null}
        </details>
      ) : null}
    </div>
  );
}
