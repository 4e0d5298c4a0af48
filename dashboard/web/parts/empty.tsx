import type { ReactNode } from 'react';

/** Nothing to show, and why: that it loads, that nothing is there yet and what comes first, or an error. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <p className="empty" role="status">
      {children}
    </p>
  );
}
