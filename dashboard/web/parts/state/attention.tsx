import type { Attention } from '../../../api/shared.ts';
import { hrefOf } from '../../router.ts';
import { Command } from '../command.tsx';
import { UntrustedText } from '../untrusted-text.tsx';
import { TimeAgo } from '../value.tsx';
import { inBrowserZone } from '../zone.ts';

interface Props {
  attention: readonly Attention[];
  /** True: shows the researches of each item. */
  named?: boolean;
  /** Number of items shown at first; the others are folded. */
  first?: number;
}

/** Items that may need a person, each with commands to copy. Items below the level `notice` come last. */
export function AttentionList({ attention, ...props }: Props) {
  const needed = attention.filter(({ level }) => level === 'warning' || level === 'notice');
  const others = attention.filter((item) => !needed.includes(item));
  return (
    <>
      {needed.length === 0 ? (
        <p className="attention-none quiet small">Nothing needs you.</p>
      ) : (
        <Needed attention={needed} {...props} />
      )}
      {others.length === 0 ? null : (
        <section className="attention calm" aria-label="For your information">
          <Lines attention={others} named={props.named ?? false} />
        </section>
      )}
    </>
  );
}

function Needed({ attention, named = false, first = 3 }: Props) {
  const [shown, others] = [attention.slice(0, first), attention.slice(first)];
  return (
    <section className="attention" aria-label="Needs a person">
      <h2>
        <Sign /> {attention.length === 1 ? 'This needs you' : `${attention.length} things need you`}
      </h2>
      <Lines attention={shown} named={named} />
      {others.length === 0 ? null : (
        <details>
          <summary className="small">{others.length} more</summary>
          <Lines attention={others} named={named} />
        </details>
      )}
    </section>
  );
}

const Lines = ({ attention, named }: { attention: readonly Attention[]; named: boolean }) => (
  <ul>
    {attention.map((item, index) => (
      <li key={index} data-level={item.level}>
        <p>
          {named ? <Named researches={item.researches} /> : null}
          <strong>
            <UntrustedText text={inBrowserZone(item.title)} line max={300} />
          </strong>
          {item.why === null ? null : (
            <>
              {' · '}
              <UntrustedText text={inBrowserZone(item.why)} line max={500} />
            </>
          )}
          {item.at === null ? null : (
            <span className="quiet small">
              {' · '}
              <TimeAgo at={item.at} />
            </span>
          )}
        </p>
        <div className="commands">
          {item.commands.map((command) => (
            <Command key={command} command={command} />
          ))}
        </div>
      </li>
    ))}
  </ul>
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
