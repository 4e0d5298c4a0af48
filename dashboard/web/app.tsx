import { Boundary } from './parts/boundary.tsx';
import { Empty } from './parts/empty.tsx';
import { pageOf } from './pages/table.ts';
import { hrefOf, usePlace } from './router.ts';
import { Top } from './shell/top.tsx';

export function App() {
  const { segments } = usePlace();
  const found = pageOf(segments);
  return (
    <div className="shell">
      <Top />
      <main>
        {found ? (
          <Boundary at={segments.join('/')}>
            <found.page at={found.at} />
          </Boundary>
        ) : (
          <Empty>
            There is no such page. <a href={hrefOf([])}>All researches</a>
          </Empty>
        )}
      </main>
    </div>
  );
}
