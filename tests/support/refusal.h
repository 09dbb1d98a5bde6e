// Checks of the errors of rejected calls.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "strew/error.h"

namespace strew {

/// Returns the message of an error, or "" after success.
template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "" : result.error().message();
}

/// Expects an error of this code whose message equals or matches `message`.
template <class T>
void expect_refused(const Result<T>& result, ErrorCode code,
                    const ::testing::Matcher<const std::string&>& message = ::testing::Ne("")) {
  ASSERT_FALSE(result) << "accepted";
  EXPECT_EQ(result.error().code, code) << result.error().message();
  EXPECT_THAT(result.error().message(), message);
}

}  // namespace strew
