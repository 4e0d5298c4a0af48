import { Component, type ReactNode } from 'react';
import { Empty } from './parts/empty.tsx';
import { pageOf } from './pages/table.ts';
import { hrefOf, useAddress } from './router.ts';
import { Top } from './shell/top.tsx';

interface Props {
  /** Address of the page. A change of it clears the error. */
  at: string;
  children: ReactNode;
}

interface State {
  at: string;
  /** Message of the error; null if there is none. */
  error: string | null;
}

/** Confines an error of rendering to one page: the frame around it stays, and a person can draw the page again. */
class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, error: null };

  static getDerivedStateFromError = (error: unknown): Pick<State, 'error'> => ({
    error: error instanceof Error ? error.message : 'an error without a message',
  });
  static getDerivedStateFromProps = ({ at }: Props, state: State): State | null =>
    at === state.at ? null : { at, error: null };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Empty>
        This page failed to draw its data: {error}.{' '}
        <button type="button" className="button" onClick={() => this.setState({ error: null })}>
          Draw it again
        </button>
      </Empty>
    );
  }
}

export function App() {
  const { segments } = useAddress();
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
