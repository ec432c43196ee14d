import type { ReactNode } from "react";
import type { Site } from "../../ui/site.ts";
import { type FaqParagraph, type FaqQuestion, faqQuestions, plainText } from "./questions.ts";

/**
 * The questions as independent `details`, so that several answers can be open at once. The id is on the answer, because
 * browsers open a `details` that contains the target of a link.
 *
 * @param props.isShort the first paragraph of each answer, with a link to all of it on the FAQ's own page
 */
export function FaqList({ site, isShort }: { site: Site; isShort?: boolean }) {
  return (
    <div className="faq">
      {faqQuestions(site).map((question) =>
        isShort ? (
          <ShortAnswer key={question.id} {...question} />
        ) : (
          <FullAnswer key={question.id} {...question} />
        ),
      )}
    </div>
  );
}

function FullAnswer({ id, question, answer, more }: FaqQuestion) {
  return (
    <details>
      <summary>
        <h2>{question}</h2>
      </summary>
      <div id={id}>
        {answer.map((paragraph) => (
          <p key={plainText(paragraph)}>{withLinks(paragraph)}</p>
        ))}
        <p className="flex flex-wrap gap-x-6">
          {more && <a href={more.href}>{more.label}</a>}
          <a href={`#${id}`} className="text-quiet" aria-label={`Link to this answer: ${question}`}>
            Link to this answer
          </a>
        </p>
      </div>
    </details>
  );
}

function ShortAnswer({ id, question, answer: [first, ...others] }: FaqQuestion) {
  return (
    <details>
      <summary>
        <h3>{question}</h3>
      </summary>
      <div id={id}>
        {first && <p>{withLinks(first)}</p>}
        {others.length > 0 && (
          <p className="flex">
            <a href={`/faq#${id}`} aria-label={`The whole answer: ${question}`}>
              The whole answer
            </a>
          </p>
        )}
      </div>
    </details>
  );
}

function withLinks(paragraph: FaqParagraph): ReactNode {
  if (typeof paragraph === "string") return paragraph;
  return paragraph.map((piece) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <a key={piece.href} href={piece.href}>
        {piece.label}
      </a>
    ),
  );
}
