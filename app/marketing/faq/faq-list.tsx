import type { ReactNode } from "react";
import type { Site } from "../../ui/site.ts";
import { type FaqParagraph, type FaqQuestion, faqQuestions, plainText } from "./questions.ts";

type HeadingLevel = "h2" | "h3";

/**
 * The questions as independent `details`, so that several answers can be open at once. The id is on the answer, because
 * browsers open a `details` that contains the target of a link.
 *
 * @param props.headingLevel `h2` on the FAQ's own page, where each answer has a link to itself
 */
export function FaqList({ site, headingLevel }: { site: Site; headingLevel: HeadingLevel }) {
  return (
    <div className="faq">
      {faqQuestions(site).map((question) => (
        <Question key={question.id} question={question} Heading={headingLevel} />
      ))}
    </div>
  );
}

function Question({
  question: { id, question, answer, more },
  Heading,
}: {
  question: FaqQuestion;
  Heading: HeadingLevel;
}) {
  return (
    <details>
      <summary>
        <Heading>{question}</Heading>
      </summary>
      <div id={id}>
        {answer.map((paragraph) => (
          <p key={plainText(paragraph)}>{withLinks(paragraph)}</p>
        ))}
        <p className="flex flex-wrap gap-x-6">
          {more && <a href={more.href}>{more.label}</a>}
          {Heading === "h2" && (
            <a href={`#${id}`} className="text-quiet" aria-label={`Link to this answer: ${question}`}>
              Link to this answer
            </a>
          )}
        </p>
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
