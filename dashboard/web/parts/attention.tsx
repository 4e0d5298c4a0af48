import type { Attention } from '../../api/shared.ts';
import { hrefOf } from '../router.ts';
import { Command } from './command.tsx';
import { ForeignText } from './text.tsx';
import { Ago } from './value.tsx';

/** What may need a person, the loudest first, each with the commands to copy; nothing where nothing does. */
export function AttentionList({ attention, named = false }: { attention: readonly Attention[]; named?: boolean }) {
  if (attention.length === 0) return null;
  return (
    <section className="attention" aria-label="Needs a person">
      <h2>
        <Sign /> Needs you
      </h2>
      <ul>
        {attention.map((one, index) => (
          <li key={index} data-level={one.level}>
            <div>
              <p>
                {named && one.research !== null ? <a href={hrefOf(['r', one.research])}>{one.research}</a> : null}{' '}
                <strong>
                  <ForeignText text={one.title} line max={300} />
                </strong>{' '}
                {one.at === null ? null : (
                  <span className="quiet small">
                    <Ago at={one.at} />
                  </span>
                )}
              </p>
              {one.why === null ? null : (
                <p className="why small">
                  <ForeignText text={one.why} line max={500} />
                </p>
              )}
            </div>
            <div className="commands">
              {one.commands.map((command) => (
                <Command key={command} command={command} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

const Sign = () => (
  <svg width="14" height="14" viewBox="0 0 12 12" aria-hidden="true">
    <path d="M6 1 11.5 11H.5Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
    <path d="M6 4.6v3M6 9v.6" stroke="currentColor" strokeWidth="1.4" />
  </svg>
);
