import type { ReactNode } from "react";
import { useFeatures } from "../../entitlements/features.ts";
import { useRoot } from "../../ui/site.ts";
import { type FaqParagraph, type FaqQuestion, faqQuestions, plainText } from "./questions.ts";

/** Browsers open a `details` that contains a link's target. @param props.isShort only each answer's first paragraph */
export function FaqList({ isShort = false }: { isShort?: boolean }) {
  const { site, isSelling } = useRoot();
  const features = useFeatures();
  return (
    <div className="faq">
      {faqQuestions(site, features, isSelling).map((question, index) => (
        <Question key={question.id} {...question} isShort={isShort} isOpen={!isShort && index === 0} />
      ))}
    </div>
  );
}

function Question(props: FaqQuestion & { isShort: boolean; isOpen: boolean }) {
  const { id, question, answer, more, isShort, isOpen } = props;
  const Heading = isShort ? "h3" : "h2";
  return (
    <details open={isOpen}>
      <summary>
        <Heading>{question}</Heading>
      </summary>
      <div id={id}>
        {answer.slice(0, isShort ? 1 : undefined).map((paragraph) => (
          <p key={plainText(paragraph)}>{withLinks(paragraph)}</p>
        ))}
        {isShort && answer.length > 1 && (
          <p className="flex">
            <a href={`/faq#${id}`} aria-label={`The whole answer: ${question}`}>
              The whole answer
            </a>
          </p>
        )}
        {!isShort && more && (
          <p className="flex">
            <a href={more.href}>{more.label}</a>
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
