import type { ReactNode } from 'react';

/** Text in place of missing content: it is loading, it does not exist yet, or it failed to load. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <p className="empty" role="status">
      {children}
    </p>
  );
}
