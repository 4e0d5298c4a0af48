import type { Attention, CalmState } from '../../../api/shared.ts';
import { hrefOf } from '../../router.ts';
import { Command } from '../command.tsx';
import { UntrustedText } from '../untrusted-text.tsx';
import { TimeAgo } from '../value.tsx';
import { inBrowserZone } from '../zone.ts';
import { usePutAway } from './put-away.ts';

interface Props {
  attention: readonly Attention[];
  states: readonly CalmState[];
  /** True: shows the researches of each item. */
  named?: boolean;
  /** Number of entries shown at first; the others are folded. */
  first?: number;
}

/** Entries that need a person, each with commands to copy, then the states that ask for nothing. */
export function AttentionList({ attention, states, named = false, first = 3 }: Props) {
  const { shown, away, putAway, bringBack } = usePutAway(attention);
  return (
    <>
      {shown.length === 0 ? (
        <p className="attention-none quiet small">Nothing needs you.</p>
      ) : (
        <Needed attention={shown} named={named} first={first} putAway={putAway} />
      )}
      {away.length === 0 ? null : (
        <p className="quiet small attention-away">
          {away.length} put away in this browser{' '}
          <button type="button" className="button" onClick={() => bringBack(away)}>
            Show again
          </button>
        </p>
      )}
      {states.length === 0 ? null : (
        <section className="attention calm" aria-label="States">
          <ul>
            {states.map((state, index) => (
              <Item key={index} item={state} named={named} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface NeededProps {
  attention: readonly Attention[];
  named: boolean;
  first: number;
  putAway: (entry: Attention) => void;
}

function Needed({ attention, named, first, putAway }: NeededProps) {
  const [shown, others] = [attention.slice(0, first), attention.slice(first)];
  return (
    <section className="attention" aria-label="Needs a person">
      <h2>
        <Sign /> {attention.length === 1 ? 'This needs you' : `${attention.length} things need you`}
      </h2>
      <Lines attention={shown} named={named} putAway={putAway} />
      {others.length === 0 ? null : (
        <details>
          <summary className="small">{others.length} more</summary>
          <Lines attention={others} named={named} putAway={putAway} />
        </details>
      )}
    </section>
  );
}

const Lines = ({ attention, named, putAway }: Omit<NeededProps, 'first'>) => (
  <ul>
    {attention.map((entry) => (
      <Item key={entry.key} item={entry} level={entry.level} named={named} putAway={() => putAway(entry)} />
    ))}
  </ul>
);

interface ItemProps {
  item: CalmState;
  level?: Attention['level'];
  named: boolean;
  putAway?: () => void;
}

const Item = ({ item: { researches, title, why, at, commands }, level, named, putAway }: ItemProps) => (
  <li data-level={level ?? 'info'}>
    <p>
      {named ? <Named researches={researches} /> : null}
      <strong>
        <UntrustedText text={inBrowserZone(title)} line max={300} />
      </strong>
      {why === null ? null : (
        <>
          {' · '}
          <UntrustedText text={inBrowserZone(why)} line max={500} />
        </>
      )}
      {at === null ? null : (
        <span className="quiet small">
          {' · '}
          <TimeAgo at={at} />
        </span>
      )}
    </p>
    <div className="commands">
      {commands.map((command) => (
        <Command key={command} command={command} />
      ))}
      {putAway === undefined ? null : (
        <button
          type="button"
          className="button"
          title="Hides it in this browser until its cause changes. For everybody: npx perpetua attention --dismiss KEY"
          onClick={putAway}
        >
          Put away
        </button>
      )}
    </div>
  </li>
);

/** Limit of researches that are listed by name; the others are counted. */
const NAMED = 4;

const Named = ({ researches }: { researches: readonly string[] }) => (
  <>
    {researches.slice(0, NAMED).map((research, index) => (
      <span key={research}>
        {index === 0 ? '' : ', '}
        <a href={hrefOf(['r', research])}>{research}</a>
      </span>
    ))}
    {researches.length > NAMED ? ` and ${researches.length - NAMED} more` : ''}
    {researches.length > 0 ? ' ' : ''}
  </>
);

const Sign = () => (
  <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true">
    <path d="M6 1 11.5 11H.5Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
    <path d="M6 4.6v3M6 9v.6" stroke="currentColor" strokeWidth="1.4" />
  </svg>
);
