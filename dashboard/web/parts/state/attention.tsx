import type { Attention } from '../../../api/shared.ts';
import { hrefOf } from '../../router.ts';
import { Command } from '../command.tsx';
import { ForeignText } from '../text.tsx';
import { Ago } from '../value.tsx';

interface Props {
  attention: readonly Attention[];
  /** Each with its research. */
  named?: boolean;
  /** So many are shown at once, the others when asked for. */
  first?: number;
}

/** What may need a person, the loudest first, each with the commands to copy; where nothing does, a quiet word. */
export function AttentionList({ attention, named = false, first = 3 }: Props) {
  if (attention.length === 0) return <p className="attention-none quiet small">Nothing needs you.</p>;
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
    {attention.map((one, index) => (
      <li key={index} data-level={one.level}>
        <p>
          {named && one.research !== null ? (
            <>
              <a href={hrefOf(['r', one.research])}>{one.research}</a>{' '}
            </>
          ) : null}
          <strong>
            <ForeignText text={one.title} line max={300} />
          </strong>
          {one.why === null ? null : (
            <>
              {' · '}
              <ForeignText text={one.why} line max={500} />
            </>
          )}
          {one.at === null ? null : (
            <span className="quiet small">
              {' · '}
              <Ago at={one.at} />
            </span>
          )}
        </p>
        <div className="commands">
          {one.commands.map((command) => (
            <Command key={command} command={command} />
          ))}
        </div>
      </li>
    ))}
  </ul>
);

const Sign = () => (
  <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true">
    <path d="M6 1 11.5 11H.5Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
    <path d="M6 4.6v3M6 9v.6" stroke="currentColor" strokeWidth="1.4" />
  </svg>
);
