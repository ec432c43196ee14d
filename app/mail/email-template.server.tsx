import type { CSSProperties, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { COLORS, DARK_BACKGROUND } from "../ui/colors.ts";
import type { Site } from "../ui/site.ts";
import { type Message, makerOf } from "./message.ts";

const SERIF =
  "'Iowan Old Style', 'Palatino Nova', 'Palatino Linotype', 'URW Palladio L', P052, Charter, 'Noto Serif', 'Source Serif 4', 'Liberation Serif', Georgia, serif";
const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
/** Of a label (app/ui/styles.css). Mail clients without clip-path or gradients show a rectangle. */
const POINT = "polygon(0.6em 0, 100% 0, 100% 100%, 0.6em 100%, 0 50%)";
const holeOn = (paper: string) =>
  `radial-gradient(circle at 0.68em 50%, ${paper} 0.12em, transparent calc(0.12em + 0.5px))`;

const PAPER = { background: COLORS.paper, color: COLORS.ink };
const QUIET = { color: COLORS.quiet };
const LABEL = { backgroundColor: COLORS.label, backgroundImage: holeOn(COLORS.paper), color: COLORS.ink };
const ACTION = { background: COLORS.green, color: COLORS.sheet };

/** Light colors are inline, because most mail clients lack custom properties and some style sheets. */
const DARK = `@media (prefers-color-scheme: dark) {
  .paper { background: ${DARK_BACKGROUND} !important; color: #ece7da !important }
  .quiet { color: #aba696 !important }
  .rule { border-color: #343a45 !important }
  .label { background-image: ${holeOn(DARK_BACKGROUND)} !important }
  .action { background: #7fd6a4 !important; color: #0c1a12 !important }
}`;

export function toHtml(site: Site, message: Message): string {
  return `<!doctype html>${renderToStaticMarkup(<EmailTemplate site={site} message={message} />)}`;
}

function EmailTemplate({ site, message }: { site: Site; message: Message }) {
  const { subject, paragraphs, action, footnotes } = message;
  const maker = makerOf(site);
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{DARK}</style>
      </head>
      <body className="paper" style={{ margin: 0, padding: 0, ...PAPER }}>
        {/* Inboxes show what comes first beside the subject: not the subject once more. */}
        <div style={{ display: "none" }}>{previewOf(message)}</div>
        {/* Some mail clients drop the body element and keep its content. */}
        <div className="paper" style={{ padding: "32px 20px 48px", ...PAPER }}>
          <div
            style={{
              maxWidth: 520,
              margin: "0 auto",
              font: `17px/1.55 ${SANS}`,
              wordBreak: "break-word",
              textAlign: "left",
            }}
          >
            <p style={{ margin: "0 0 36px" }}>
              <Label>{site.product}</Label>
            </p>
            <h1
              style={{
                margin: "0 0 20px",
                font: `700 28px/1.15 ${SERIF}`,
                letterSpacing: "-0.015em",
                textWrap: "balance",
              }}
            >
              {subject}
            </h1>
            {paragraphs.map((paragraph) => (
              <Paragraph key={typeof paragraph === "string" ? paragraph : paragraph.url} of={paragraph} />
            ))}
            {action && <Action {...action} />}
            <div className="rule" style={{ borderTop: "1px dashed #b9ae93", margin: "36px 0 20px" }} />
            {footnotes.map(({ text, link }) => (
              <Quiet key={text}>
                {text} {link && <QuietLink href={link.url}>{link.label}</QuietLink>}
              </Quiet>
            ))}
            <Quiet>
              {site.product} · <QuietLink href={site.origin}>{new URL(site.origin).host}</QuietLink>
              {maker && <br />}
              {maker}
            </Quiet>
          </div>
        </div>
      </body>
    </html>
  );
}

function previewOf({ paragraphs: [first = ""] }: Message): string {
  return typeof first === "string" ? first : first.text;
}

function Label({ children }: { children: ReactNode }) {
  return (
    <span
      className="label"
      style={{
        display: "inline-block",
        padding: "4px 12px 2px 26px",
        font: `700 22px/1.4 ${SERIF}`,
        clipPath: POINT,
        ...LABEL,
      }}
    >
      {children}
    </span>
  );
}

function Paragraph({ of: paragraph }: { of: Message["paragraphs"][number] }) {
  const style: CSSProperties = { margin: "0 0 16px", whiteSpace: "pre-line" };
  if (typeof paragraph === "string") return <p style={style}>{paragraph}</p>;
  return (
    <p style={style}>
      {paragraph.text}
      <br />
      <a href={paragraph.url} style={{ color: "inherit" }}>
        {paragraph.url}
      </a>
    </p>
  );
}

/** With its URL in plain sight for mail clients that do not show it. */
function Action({ label, url }: { label: string; url: string }) {
  const shape: CSSProperties = {
    display: "inline-block",
    padding: "12px 24px",
    borderRadius: 2,
    fontWeight: 650,
    textDecoration: "none",
  };
  return (
    <>
      <p style={{ margin: "28px 0" }}>
        <a className="action" href={url} style={{ ...shape, ...ACTION }}>
          {label}
        </a>
      </p>
      <Quiet>
        Or open this link: <QuietLink href={url}>{url}</QuietLink>
      </Quiet>
    </>
  );
}

function Quiet({ children }: { children: ReactNode }) {
  return (
    <p className="quiet" style={{ margin: "0 0 10px", fontSize: 15, ...QUIET }}>
      {children}
    </p>
  );
}

function QuietLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a className="quiet" href={href} style={QUIET}>
      {children}
    </a>
  );
}
