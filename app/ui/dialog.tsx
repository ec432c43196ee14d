import { type MouseEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useFetcher, useLocation } from "react-router";
import { PageLink } from "./page-link.tsx";

interface DialogProps {
  title: string;
  /** On Escape, or when its form has led to another page. The parent then stops rendering it. */
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const { key } = useLocation();
  const openedAt = useRef(key);
  // Closed before it is removed, so that the focus returns to the element that opened it.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    if (openedAt.current !== key) onClose();
  }, [key, onClose]);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface DialogLinkProps<Data> {
  /** For a browser without scripts or a new tab. */
  href: string;
  title: string;
  label: ReactNode;
  className?: string;
  children: (data: Data, close: () => void) => ReactNode;
}

/** A link to a page that asks before something irreversible: where React runs, it opens as a dialog. */
export function DialogLink<Data>({ href, title, label, className, children }: DialogLinkProps<Data>) {
  const [isAsked, setIsAsked] = useState(false);
  function open(event: MouseEvent) {
    const isElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (isElsewhere) return;
    event.preventDefault();
    setIsAsked(true);
  }
  return (
    <>
      <PageLink href={href} className={className} onClick={open}>
        {label}
      </PageLink>
      {isAsked && (
        <LoadedDialog<Data> href={href} title={title} close={() => setIsAsked(false)}>
          {children}
        </LoadedDialog>
      )}
    </>
  );
}

/** The data is requested each time it opens; the router keeps it fresh only while it is open. */
function LoadedDialog<Data>(
  props: Pick<DialogLinkProps<Data>, "href" | "title" | "children"> & { close: () => void },
) {
  const { href, title, close, children } = props;
  const { load, data } = useFetcher();
  useEffect(() => {
    void load(href);
  }, [load, href]);
  if (!data) return null;
  return (
    <Dialog title={title} onClose={close}>
      {children(data as Data, close)}
    </Dialog>
  );
}

/** Closes the dialog; without one, links back to the page. */
export function KeepButton(props: { close?: () => void; href: string; children: ReactNode }) {
  const { close, href, children } = props;
  return close ? (
    <button type="button" className="button" data-quiet="" onClick={close}>
      {children}
    </button>
  ) : (
    <PageLink href={href} className="button" data-quiet="">
      {children}
    </PageLink>
  );
}
