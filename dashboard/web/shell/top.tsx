import { useLive } from '../data/live.ts';
import { hrefOf, useAddress } from '../router.ts';
import { ZONE } from '../parts/zone.ts';
import { Pulse } from './pulse.tsx';
import { ThemeSwitch } from './theme.tsx';

const PAGES = [
  { name: 'Researches', at: [] },
  { name: 'Fleet', at: ['fleet'] },
  { name: 'Spend', at: ['spend'] },
] as const;

const LIVE_WORDS = { connecting: 'connecting', live: 'live', away: 'reconnecting', paused: 'paused' } as const;

/** The bar at the top of every page. */
export function Top() {
  const { segments } = useAddress();
  const live = useLive();
  const first = segments[0] === 'r' || segments[0] === 'compare' ? undefined : segments[0];
  return (
    <>
      <header className="top">
        <a className="brand" href={hrefOf([])}>
          <img src="icon.svg" alt="" width="22" height="22" /> <span className="name">Perpetua</span>
        </a>
        <nav aria-label="Pages">
          {PAGES.map(({ name, at }) => (
            <a key={name} href={hrefOf(at)} aria-current={first === at[0] ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span className="end">
          <span className="zone quiet small">times in {ZONE}</span>
          <Pulse />
          <span className="live" data-state={live}>
            {LIVE_WORDS[live]}
          </span>
          <ThemeSwitch />
        </span>
      </header>
      {live === 'away' ? (
        <p className="banner" role="alert">
          The server or its database does not answer. What you see may be old; the page goes on by itself when it is
          back.
        </p>
      ) : null}
    </>
  );
}
